"""Mistakes in the classes: which rows of the table are taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import embedding

from grader.diagnosis.model import State
from grader.exercises.positional_encoding.catalogue import (
    FIXED,
    LEARNED,
    called,
    replaces,
)
from grader.exercises.positional_encoding.model import learned, sinusoidal

__all__: list[str] = []


# -- which rows -------------------------------------------------------------------------------------


@replaces(FIXED, "rows", id="position-over-batch")
@called
def row_per_sequence(s: State) -> Any:
    return s.pe[0, : len(s.x), None]  # (B, 1, d_model)


@replaces(FIXED, "rows", id="position-over-batch")
@called
def rows_of_batch(s: State) -> Any:
    return s.pe[:, : len(s.x)]  # (1, B, d_model)


@replaces(FIXED, "rows", id="table-not-sliced")
@called
def table_not_sliced(s: State) -> Any:
    return s.pe  # (1, max_len, d_model), as pe[: len(x)] is too: the first axis has length 1


@replaces(LEARNED, "rows", id="table-not-sliced")
@called
def learned_table_not_sliced(s: State) -> Any:
    return s.state["embedding.weight"][None]


@replaces(LEARNED, "rows", id="position-over-batch")
@called
def learned_row_per_sequence(s: State) -> Any:
    return s.state["embedding.weight"][: len(s.x), None]


@replaces(LEARNED, "rows", id="position-over-batch")
@called
def learned_rows_of_batch(s: State) -> Any:
    return s.state["embedding.weight"][None, : len(s.x)]


@replaces(FIXED, "rows", id="only-one-position-row")
@called
def first_row(s: State) -> Any:
    return s.pe[:, :1]


@replaces(FIXED, "rows", id="only-one-position-row")
@called
def last_row(s: State) -> Any:
    return s.pe[:, s.x.shape[1] - 1]


@replaces(FIXED, "rows", id="only-one-position-row")
@called
def row_of_length(s: State) -> Any:
    return s.pe[:, s.x.shape[1]]


@replaces(FIXED, "rows", id="last-rows-taken")
@called
def last_rows_taken(s: State) -> Any:
    return s.pe[:, s.pe.shape[1] - s.x.shape[1] :]


@replaces(FIXED, "rows", id="position-from-one")
@called
def rows_from_one(s: State) -> Any:
    return s.pe[:, 1 : s.x.shape[1] + 1]


@replaces(FIXED, "rows", id="position-reversed")
@called
def rows_reversed(s: State) -> Any:
    return s.pe[:, : s.x.shape[1]].flip(1)


def _looked_up(id: str, ids: Callable[[int], Tensor]) -> None:
    replaces(LEARNED, "ids", id=id)(called(lambda s: ids(s.x.shape[1])))


_looked_up("learned-constant-position", lambda S: torch.zeros(S, dtype=torch.long))
_looked_up("learned-constant-position", lambda S: torch.full((S,), S - 1))
_looked_up("learned-constant-position", lambda S: torch.full((S,), S))
_looked_up("position-from-one", lambda S: torch.arange(1, S + 1))
_looked_up("position-reversed", lambda S: torch.arange(S).flip(0))


@replaces(LEARNED, "rows", id="tokens-as-positions")
@called
def tokens_as_positions(s: State) -> Any:
    return embedding(s.x.long(), s.state["embedding.weight"])  # raises for -1, and beyond the last row


@replaces(LEARNED, "rows", id="tokens-as-positions")
@called
def floats_as_positions(s: State) -> Any:
    raise RuntimeError("Expected tensor for argument 'indices' to have scalar types: Long, Int")


@replaces(LEARNED, "rows", id="last-rows-taken")
@called
def last_learned_rows(s: State) -> Any:
    return s.state["embedding.weight"][None, s.max_len - s.x.shape[1] :]


@replaces(LEARNED, "rows", id="position-over-batch")
@called
def column_of_rows(s: State) -> Any:
    return s.state["embedding.weight"][: s.x.shape[1], None]  # (S, 1, d_model)


@replaces(FIXED, "rows", id="position-over-features")
@called
def rows_of_width(s: State) -> Any:
    return s.pe[:, : s.x.shape[2]]


@replaces(FIXED, "rows", id="position-over-features")
@called
def checked_rows_of_width(s: State) -> Any:
    if s.x.shape[2] > s.max_len:
        raise ValueError("the width is longer than the table")
    return s.pe[:, : s.x.shape[2]]


@replaces(LEARNED, "rows", id="position-over-features")
@called
def learned_rows_of_width(s: State) -> Any:
    if s.x.shape[2] > s.max_len:
        raise IndexError("index out of range in self")
    return s.state["embedding.weight"][None, : s.x.shape[2]]


@replaces(LEARNED, "rows", id="position-over-features")
@called
def checked_learned_rows_of_width(s: State) -> Any:
    if s.x.shape[2] > s.max_len:
        raise ValueError("the width is longer than the table")
    return s.state["embedding.weight"][None, : s.x.shape[2]]


@replaces(LEARNED, "rows", id="first-row-untrained")
@called
def first_row_untrained(s: State) -> Any:
    weight = s.state["embedding.weight"]
    whole = torch.cat([weight[:1].detach(), weight[1:]])  # padding_idx=0: no gradient for that row
    return whole[None, : s.x.shape[1]]


def _refuses_full(model_rows: Callable[[State], Any]) -> Callable[[State], Any]:
    def rows(s: State) -> Any:
        if s.x.shape[1] >= s.max_len:
            raise ValueError("too long")
        return model_rows(s)

    return called(rows)


replaces(FIXED, "rows", id="length-check-off-by-one")(_refuses_full(sinusoidal.steps["rows"]))
replaces(LEARNED, "rows", id="length-check-off-by-one")(_refuses_full(learned.steps["rows"]))


def _refuses_wide(model_rows: Callable[[State], Any]) -> Callable[[State], Any]:
    """The width is compared with max_len, where the length should be."""

    def rows(s: State) -> Any:
        if s.x.shape[2] > s.max_len:
            raise ValueError("too long")
        return model_rows(s)

    return called(rows)


replaces(FIXED, "rows", id="length-check-on-width")(_refuses_wide(sinusoidal.steps["rows"]))
replaces(LEARNED, "rows", id="length-check-on-width")(_refuses_wide(learned.steps["rows"]))


def _needs_one_piece(model_rows: Callable[[State], Any]) -> Callable[[State], Any]:
    def rows(s: State) -> Any:
        if not s.raw["x"].is_contiguous():
            raise RuntimeError("view size is not compatible with input tensor's size and stride")
        return model_rows(s)

    return called(rows)


replaces(FIXED, "rows", id="view-not-contiguous")(_needs_one_piece(sinusoidal.steps["rows"]))
replaces(LEARNED, "rows", id="view-not-contiguous")(_needs_one_piece(learned.steps["rows"]))
