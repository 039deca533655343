"""Mistakes in the table: its positions, its frequencies, its columns, its numbers."""

from __future__ import annotations

import math
from typing import Any

import torch

from grader.diagnosis.model import State, Step
from grader.exercises.positional_encoding.catalogue import BOTH_TABLES, CATALOGUE, replaces
from grader.exercises.positional_encoding.model import column, sinusoidal, spread, table

__all__: list[str] = []

# e^4: log10 in place of log
BASES = (1e3, 1e5, 2.0, math.e, math.e**4, 10.0, 5000.0, 512.0, 1024.0, 20000.0, 50000.0, 1e6, 500000.0)


def blurred(s: State) -> None:
    """Angles in the thousands have lost digits to float32, if that is what the learner computed in."""
    if "pe" not in s.state:
        s.precision = torch.float16


# -- the columns ------------------------------------------------------------------------------------


def _sine_of_odd(s: State) -> Any:
    return s.angles[:, 1::2].sin()


@replaces(BOTH_TABLES, "even_columns", also={"odd_columns": _sine_of_odd})
def sin_cos_swapped(s: State) -> Any:
    return s.angles[:, 0::2].cos()


def _sine_of_even(s: State) -> Any:
    return s.angles[:, 0::2].sin()  # as it should be; the mistake sits where this is put


def _blocks(s: State) -> Any:
    return torch.cat([s.pair_angles.sin(), s.pair_angles.cos()], dim=-1)[:, : s.d_model]


replaces(BOTH_TABLES, "even_columns", id="sin-cos-halves", also={"whole": _blocks})(_sine_of_even)


@replaces(BOTH_TABLES, "whole", id="sin-cos-halves")
def halves_of_paired_columns(s: State) -> Any:
    return torch.where(column(s) < s.d_model / 2, s.angles.sin(), s.angles.cos())


@replaces(BOTH_TABLES, "whole", id="sin-cos-halves")
def halves_cosine_first(s: State) -> Any:
    return torch.cat([s.pair_angles.cos(), s.pair_angles.sin()], dim=-1)[:, : s.d_model]


replaces(BOTH_TABLES, "even_columns", id="cosine-missing", also={"odd_columns": _sine_of_odd})(_sine_of_even)


@replaces(BOTH_TABLES, "even_columns", id="sine-missing")
def sine_missing(s: State) -> Any:
    return s.angles[:, 0::2].cos()


def _whole(s: State) -> Any:
    """The table as it should be, for mistakes that change some of it."""
    return spread(s.even_columns, s.odd_columns, s.d_model)


def _unfilled(columns: Step) -> None:
    replaces(BOTH_TABLES, "whole", id="columns-left-zero")(columns)


_unfilled(lambda s: spread(s.even_columns, s.odd_columns * 0, s.d_model))
_unfilled(lambda s: spread(s.even_columns * 0, s.odd_columns, s.d_model))
_unfilled(lambda s: spread(s.angles[:, 0::2].cos(), s.odd_columns * 0, s.d_model))  # written over
_unfilled(lambda s: _whole(s) * (column(s) < s.d_model - 2))  # a loop that ends one pair too early
_unfilled(lambda s: _whole(s) * (column(s) < s.d_model - 1))
_unfilled(lambda s: _whole(s) * (column(s) >= 2))


def _rows_unfilled(rows: Step) -> None:
    replaces(BOTH_TABLES, "whole", id="rows-left-zero")(rows)


_rows_unfilled(lambda s: _whole(s) * (torch.arange(s.max_len) < s.max_len - 1)[:, None])
_rows_unfilled(lambda s: _whole(s) * (torch.arange(s.max_len) > 0)[:, None])


def _scrambled(found: Step) -> None:
    replaces(BOTH_TABLES, "whole", id="columns-scrambled")(found)


def _viewed(angles: Any) -> Any:
    """(max_len, pairs) in the order of its transpose, as view gives it."""
    return angles.T.reshape(angles.shape)


_scrambled(lambda s: spread(_viewed(s.pair_angles).sin(), _viewed(s.angles[:, 1::2]).cos(), s.d_model))
_scrambled(lambda s: torch.stack([s.even_columns, s.odd_columns]).reshape(s.max_len, -1))
_scrambled(lambda s: torch.stack([s.even_columns, s.odd_columns], dim=-1).reshape(-1, s.max_len).T)
_scrambled(lambda s: torch.cat([s.even_columns, s.odd_columns]).reshape(s.max_len, -1))
_scrambled(lambda s: _whole(s).T.reshape(s.max_len, -1))


def _sign(columns: Step) -> None:
    replaces(BOTH_TABLES, "whole", id="sign-wrong")(columns)


_sign(lambda s: spread(s.even_columns, -s.odd_columns, s.d_model))
_sign(lambda s: spread(-s.even_columns, s.odd_columns, s.d_model))
_sign(lambda s: -_whole(s))


def _cosine_of_degrees(s: State) -> Any:
    return torch.deg2rad(s.angles[:, 1::2]).cos()


@replaces(BOTH_TABLES, "even_columns", also={"odd_columns": _cosine_of_degrees})
def angle_in_degrees(s: State) -> Any:
    return torch.deg2rad(s.angles[:, 0::2]).sin()


# -- the exponents ----------------------------------------------------------------------------------


def _exponents(found: Step) -> None:
    replaces(BOTH_TABLES, "exponents", id="frequency-exponent-wrong")(found)


_exponents(lambda s: 4 * (column(s) // 2) / s.d_model)  # 2i runs over even numbers, and is doubled again
_exponents(lambda s: 2 * column(s) / s.d_model)  # the same, and the cosine has an exponent of its own
_exponents(lambda s: (column(s) // 2) / s.d_model)  # i where 2i belongs
_exponents(lambda s: column(s) / s.d_model)  # every column its own
_exponents(lambda s: 2 * (column(s) // 2 + 1) / s.d_model)  # i from one
_exponents(lambda s: (column(s) + column(s) % 2) / s.d_model)  # i for the sine, i + 2 for the cosine
_exponents(lambda s: (column(s) // 2) / max(math.ceil(s.d_model / 2) - 1, 1))  # ends exactly at one
_exponents(lambda s: 2 * (column(s) // 2) / max(s.d_model - 1, 1))
_exponents(lambda s: 2 * (column(s) // 2))  # not divided at all
_exponents(lambda s: 2 * (column(s) // 2) / s.max_len)  # divided by the wrong length
_exponents(lambda s: (2 * (column(s) // 2) + 1) / s.d_model)  # the odd numbers


@replaces(BOTH_TABLES, "powers", id="frequency-exponent-wrong")
def divided_after_the_power(s: State) -> Any:
    return s.base ** (2 * (column(s) // 2)) * s.d_model  # p / 10000 ** (2 * i) / d_model


@replaces(BOTH_TABLES, "powers", id="frequency-exponent-wrong")
def power_divided(s: State) -> Any:
    return s.base ** (2 * (column(s) // 2)) / s.d_model  # p / (10000 ** (2 * i) / d_model)


@replaces(BOTH_TABLES, "angles", id="angle-is-a-sum")
def angle_is_a_sum(s: State) -> Any:
    return s.positions + s.frequencies


def _cosine_times(s: State) -> Any:
    return s.positions.cos() * s.frequencies[1::2]


@replaces(BOTH_TABLES, "even_columns", id="frequency-outside-sine", also={"odd_columns": _cosine_times})
def frequency_outside_sine(s: State) -> Any:
    return s.positions.sin() * s.frequencies[0::2]


@replaces(BOTH_TABLES, "frequencies")
def frequency_inverted(s: State) -> Any:
    blurred(s)
    return s.powers


@replaces(BOTH_TABLES, "frequencies", id="frequency-linear")
def frequency_linear(s: State) -> Any:
    return 1 / (s.base * s.exponents)  # a product where a power belongs


@replaces(BOTH_TABLES, "base", id="base-is-max-len")
def base_is_max_len(s: State) -> Any:
    return float(s.max_len)


for _model in BOTH_TABLES:
    # 100 and 1e8 are no starting values: they are i (or 4i) in the exponent, which is likelier
    CATALOGUE.family(
        _model,
        "base",
        name="base",
        id="wrong-base",
        tries=BASES,
    )(lambda s, value: value)


@replaces(BOTH_TABLES, "whole", id="table-scaled")
def table_over_root(s: State) -> Any:
    return _whole(s) / math.sqrt(s.d_model)


@replaces(BOTH_TABLES, "whole", id="table-scaled")
def table_times_root(s: State) -> Any:
    return _whole(s) * math.sqrt(s.d_model)


for _model in BOTH_TABLES:
    CATALOGUE.family(_model, "whole", name="factor", id="table-scaled", tries=(2.0, 0.5, 0.1))(
        lambda s, factor: _whole(s) * factor
    )


# -- integers ---------------------------------------------------------------------------------------


@replaces(BOTH_TABLES, "exponents", id="integer-arange-overflow")
def exponent_floored(s: State) -> Any:
    return torch.zeros(s.d_model, dtype=torch.float64)


@replaces(BOTH_TABLES, "powers", id="integer-arange-overflow")
def power_overflows(s: State) -> Any:
    even = 2 * (torch.arange(s.d_model) // 2)
    whole = 10000**even  # int64 wraps round beyond 10000^4
    if "pe" not in s.state:
        s.precision = torch.float32
    return whole.double() ** (1 / s.d_model)


@replaces(BOTH_TABLES, "angles", id="integer-arange-overflow")
def angles_floored(s: State) -> Any:
    return torch.floor(s.positions / s.powers)


@replaces(BOTH_TABLES, "fitted", id="integer-arange-overflow")
def integer_numbers(s: State) -> Any:
    return s.whole.trunc()


@replaces((table,), "result", id="integer-arange-overflow")
def integer_dtype(s: State) -> Any:
    return s.fitted.long()


# -- the positions ----------------------------------------------------------------------------------


@replaces(BOTH_TABLES, "positions", id="position-from-one")
def position_from_one(s: State) -> Any:
    return torch.arange(1, s.max_len + 1, dtype=torch.float64)[:, None]


@replaces(BOTH_TABLES, "positions", id="only-one-position-row")
def all_last(s: State) -> Any:
    return torch.full((s.max_len, 1), s.max_len - 1, dtype=torch.float64)


@replaces(BOTH_TABLES, "positions", id="only-one-position-row")
def all_first(s: State) -> Any:
    return torch.zeros(s.max_len, 1, dtype=torch.float64)


@replaces(BOTH_TABLES, "positions", id="only-one-position-row")
def all_max_len(s: State) -> Any:
    return torch.full((s.max_len, 1), s.max_len, dtype=torch.float64)


@replaces(BOTH_TABLES, "positions")
def position_normalised(s: State) -> Any:
    return torch.arange(s.max_len, dtype=torch.float64)[:, None] / s.max_len


@replaces(BOTH_TABLES, "positions", id="position-normalised")
def position_up_to_one(s: State) -> Any:
    return torch.arange(s.max_len, dtype=torch.float64)[:, None] / max(s.max_len - 1, 1)


@replaces(BOTH_TABLES, "positions")
def position_reversed(s: State) -> Any:
    return torch.arange(s.max_len - 1, -1, -1, dtype=torch.float64)[:, None]


@replaces((table,), "result", id="table-shape")
def table_with_batch(s: State) -> Any:
    return s.fitted[None]


@replaces((table,), "result", id="table-shape")
def table_sequence_first(s: State) -> Any:
    return s.fitted[:, None]


@replaces((table,), "result", id="table-shape")
def table_transposed(s: State) -> Any:
    return s.fitted.T


# -- the accuracy -----------------------------------------------------------------------------------


def _angles_in(dtype: torch.dtype) -> None:
    def rounded(s: State) -> Any:
        return s.angles[:, 0::2].to(dtype).sin().double()

    def rounded_odd(s: State) -> Any:
        return s.angles[:, 1::2].to(dtype).cos().double()

    replaces(BOTH_TABLES, "even_columns", id="table-low-precision", also={"odd_columns": rounded_odd})(
        rounded
    )

    def product(s: State) -> Any:
        narrow = s.positions.to(dtype) * s.frequencies.to(dtype)
        return narrow.double()

    replaces(BOTH_TABLES, "angles", id="table-low-precision")(product)

    def numbers(s: State) -> Any:
        return s.whole.to(dtype).double()

    replaces(BOTH_TABLES, "fitted", id="table-low-precision")(numbers)


_angles_in(torch.float16)
_angles_in(torch.bfloat16)


@replaces((table,), "result")
def dtype_changed(s: State) -> Any:
    s.out_dtype, s.precision = torch.float64, torch.float32
    return s.fitted


@replaces((table,), "result", id="dtype-changed")
def table_in_half(s: State) -> Any:
    s.out_dtype = s.precision = torch.float16
    return s.fitted


@replaces((sinusoidal,), "result", id="dtype-changed")
def sum_in_double(s: State) -> Any:
    if s.x is None:
        return s.described
    if s.probe.dtype is None:
        s.out_dtype, s.precision = torch.float64, torch.float32
    return s.dropped


# -- odd widths -------------------------------------------------------------------------------------


def _odd(found: Step) -> None:
    def step(s: State) -> Any:
        return found(s) if s.d_model % 2 else s.whole

    replaces(BOTH_TABLES, "fitted", id="odd-d-model", tier="edge")(step)


def _too_many_columns(s: State) -> Any:
    raise RuntimeError("The expanded size of the tensor must match the existing size")


def _refused(s: State) -> Any:
    raise AssertionError("d_model must be even")


def _index_error(s: State) -> Any:
    raise IndexError("index is out of bounds")


_odd(_too_many_columns)
_odd(_refused)
_odd(_index_error)
_odd(lambda s: s.whole[:, :-1])


def _even_width(s: State, width: int) -> Any:
    """The table whose exponents are divided by another width."""
    angles = s.positions / s.base ** (2 * (column(s) // 2) / max(width, 1))
    return torch.where(column(s) % 2 == 0, angles.sin(), angles.cos())


_odd(lambda s: _even_width(s, s.d_model + 1))
_odd(lambda s: _even_width(s, s.d_model - 1))
_odd(lambda s: torch.cat([s.whole[:, :-1], torch.zeros(s.max_len, 1, dtype=torch.float64)], dim=-1))
_odd(lambda s: torch.cat([s.whole, s.pair_angles[:, -1:].cos()], dim=-1))
