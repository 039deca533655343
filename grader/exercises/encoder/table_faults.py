"""Mistakes in the tables of embeddings and positions: their sizes, and sequences that are too long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn

from grader.diagnosis.model import ANYTHING, State, Step
from grader.exercises.encoder.catalogue import replaces
from grader.exercises.encoder.model import encoder, positions

__all__: list[str] = []


def _rows_made(count: Callable[[State], int]) -> None:
    replaces(encoder, "table", id="max-len-ignored")(lambda s: count(s))


_rows_made(lambda s: 5000)
_rows_made(lambda s: s.vocab_size)
_rows_made(lambda s: 512)
_rows_made(lambda s: 1000)


def _exchanged_table(s: State) -> Any:
    return encoder.steps["names"](s) | {"positional_encoding.pe": f"buffer {[1, s.d_model, s.table]}"}


@replaces(encoder, "positioned", also={"names": _exchanged_table})
def positions_arguments_exchanged(s: State) -> Any:
    if s.d_model != s.table:
        raise RuntimeError(
            f"The size of tensor a ({s.d_model}) must match the size of tensor b ({s.table}) at "
            "non-singleton dimension 2"
        )
    return encoder.steps["positioned"](s)


def _learned_names(s: State) -> Any:
    found = encoder.steps["names"](s)
    del found["positional_encoding.pe"]
    return found | {"positional_encoding.embedding.weight": f"parameter {[s.table, s.d_model]}"}


replaces(encoder, "names", id="learned-positions", also={"result": lambda s: ANYTHING})(_learned_names)


def _more_rows(more: int) -> Step:
    def names(s: State) -> Any:
        found = encoder.steps["names"](s)
        return found | {"embedding.weight": f"parameter {[s.vocab_size + more, s.d_model]}"}

    return names


for _more in (1, -1, 2):
    replaces(encoder, "names", id="embedding-rows-wrong", also={"result": lambda s: ANYTHING})(
        _more_rows(_more)
    )


def _exchanged_rows(s: State) -> Any:
    return encoder.steps["names"](s) | {"embedding.weight": f"parameter {[s.d_model, s.vocab_size]}"}


@replaces(encoder, "embedded", id="embedding-rows-wrong", also={"names": _exchanged_rows})
def table_exchanged(s: State) -> Any:
    """Its weights cannot be set; ids beyond the width are no rows, and the rows are of another width."""
    if bool((s.token_ids >= s.d_model).any()):
        raise IndexError("index out of range in self")
    raise RuntimeError("The size of tensor a must match the size of tensor b")


@replaces(encoder, "positioned", tier="edge")
def too_long_silent(s: State) -> Any:
    return s.scaled + positions(s.scaled.shape[1], s.d_model)


def _cut(s: State) -> Any:
    return nn.functional.embedding(s.token_ids[:, : s.table], s.state["embedding.weight"])


replaces(
    encoder,
    "embedded",
    tier="edge",
    id="too-long-silent",
    also={"padding": lambda s: (s.token_ids[:, : s.table] != s.pad_id)[:, None, None, :]},
)(_cut)


@replaces(encoder, "positioned", tier="edge", id="too-long-silent")
def too_long_unexplained(s: State) -> Any:
    if s.scaled.shape[1] > s.table:
        raise RuntimeError("The size of tensor a must match the size of tensor b")
    return encoder.steps["positioned"](s)
