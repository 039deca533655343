"""Mistakes in the table: its positions, its accuracy, and odd widths."""

from __future__ import annotations

from typing import Any

import torch

from grader.diagnosis.model import State, Step
from grader.exercises.positional_encoding.catalogue import BOTH_TABLES, CATALOGUE, replaces
from grader.exercises.positional_encoding.model import column, sinusoidal, spread, table

__all__: list[str] = []


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


for _model in BOTH_TABLES:
    CATALOGUE.family(_model, "positions", name="start", id="position-shifted", tries=(2.0, -1.0, 10.0))(
        lambda s, start: torch.arange(s.max_len, dtype=torch.float64)[:, None] + start
    )


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


@replaces((table,), "result", id="table-shape")
def table_one_row_short(s: State) -> Any:
    return s.fitted[:-1]


@replaces((table,), "result", id="table-shape")
def table_one_row_more(s: State) -> Any:
    angles = torch.arange(s.max_len + 1, dtype=torch.float64)[:, None] * s.frequencies
    return spread(angles[:, 0::2].sin(), angles[:, 1::2].cos(), s.d_model)


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
