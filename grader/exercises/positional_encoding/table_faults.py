"""Mistakes in the table: its frequencies, and integers where fractions are needed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from grader.diagnosis.model import State, Step
from grader.exercises.positional_encoding.catalogue import BOTH_TABLES, CATALOGUE, replaces
from grader.exercises.positional_encoding.model import column, table

__all__: list[str] = []

# e^4: log10 in place of log
BASES = (1e3, 1e5, 2.0, math.e, math.e**4, 10.0, 5000.0, 512.0, 1024.0, 20000.0, 50000.0, 1e6, 500000.0)


def blurred(s: State) -> None:
    """Angles in the thousands have lost digits to float32, if that is what the learner computed in."""
    if "pe" not in s.state:
        s.precision = torch.float16


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
_exponents(lambda s: 2 * (column(s) // 2) / (s.d_model + 1))
_exponents(lambda s: 2 * (column(s) // 2) / (s.d_model + 2))
_exponents(lambda s: s.d_model / (2 * (column(s) // 2)))  # upside down: infinite for the first pair
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


@replaces(BOTH_TABLES, "frequencies", id="frequency-linear")
def exponent_over_base(s: State) -> Any:
    return s.exponents / s.base


def _whole_powers(rounding: Callable[[torch.Tensor], torch.Tensor]) -> None:
    replaces(BOTH_TABLES, "powers", id="frequencies-rounded")(lambda s: rounding(s.base**s.exponents))


_whole_powers(torch.floor)
_whole_powers(torch.round)


def _decimals(count: int) -> None:
    replaces(BOTH_TABLES, "frequencies", id="frequencies-rounded")(
        lambda s: torch.round(1 / s.powers, decimals=count)
    )


for _count in (2, 3, 4):
    _decimals(_count)


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
