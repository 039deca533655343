"""Mistakes in the table: which column gets what, and in which place."""

from __future__ import annotations

import math
from typing import Any

import torch

from grader.diagnosis.model import State, Step
from grader.exercises.positional_encoding.catalogue import BOTH_TABLES, CATALOGUE, replaces
from grader.exercises.positional_encoding.model import column, spread

__all__: list[str] = []


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
_sign(lambda s: spread(s.even_columns, s.odd_columns.abs(), s.d_model))  # the root of 1 - sin^2


def _in_degrees(convert: Any) -> None:
    def sines(s: State) -> Any:
        return convert(s.angles[:, 0::2]).sin()

    def cosines(s: State) -> Any:
        return convert(s.angles[:, 1::2]).cos()

    replaces(BOTH_TABLES, "even_columns", id="angle-in-degrees", also={"odd_columns": cosines})(sines)


_in_degrees(torch.deg2rad)
_in_degrees(torch.rad2deg)


for _model in BOTH_TABLES:
    CATALOGUE.family(
        _model, "angles", name="factor", id="angle-scaled", tries=(2 * math.pi, math.pi, 2.0, 0.5)
    )(lambda s, factor: s.positions * s.frequencies * factor)


# -- all of it --------------------------------------------------------------------------------------


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
