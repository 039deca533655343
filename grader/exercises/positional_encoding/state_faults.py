"""Mistakes in the classes: where the table is kept, under which name and in which shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from grader.diagnosis.model import ANYTHING, State
from grader.exercises.positional_encoding.catalogue import FIXED, LEARNED, called, replaces

__all__: list[str] = []


def _described(words: Callable[[State], dict[str, str]]) -> dict[str, Any]:
    return {"described": words}


def _own_table(s: State) -> Any:
    """The table that was made at construction: what the state dict is set to does not reach it."""
    s.precision = s.precision or torch.float32
    return s.fitted[None]


_PARAMETER = _described(lambda s: {"pe": f"parameter {[1, s.max_len, s.d_model]}"})


@replaces(FIXED, "pe", id="table-is-parameter", also=_PARAMETER)
def table_is_parameter(s: State) -> Any:
    return s.state["pe"] if "pe" in s.state else _own_table(s)  # the gradient reaches it


@replaces(FIXED, "pe", id="table-is-parameter", also=_PARAMETER)
def table_is_frozen_parameter(s: State) -> Any:
    return s.state["pe"].detach() if "pe" in s.state else _own_table(s)


replaces(FIXED, "pe", id="table-not-a-buffer", also=_described(lambda s: {}))(_own_table)


def _shaped(shape: Callable[[State], list[int]], kind: str = "buffer") -> None:
    also = _described(lambda s: {"pe": f"{kind} {shape(s)}"})
    replaces(FIXED, "pe", id="table-shape", also=also)(_own_table)


_shaped(lambda s: [s.max_len, s.d_model])
_shaped(lambda s: [s.max_len, 1, s.d_model])
_shaped(lambda s: [1, 1, s.max_len, s.d_model])
_shaped(lambda s: [1, 5000, s.d_model])
_shaped(lambda s: [5000, s.d_model])
_shaped(lambda s: [1, s.max_len + 1, s.d_model])


def _one_row_short(refused: bool) -> None:
    def pe(s: State) -> Any:
        s.precision = s.precision or torch.float32
        if refused and s.x is not None and s.x.shape[1] >= s.max_len:
            raise ValueError("longer than the table")
        return s.fitted[None, :-1]

    also = _described(lambda s: {"pe": f"buffer {[1, s.max_len - 1, s.d_model]}"})
    replaces(FIXED, "pe", id="table-shape", also=also)(pe)


_one_row_short(False)
_one_row_short(True)


def _table_called(name: str) -> None:
    replaces(
        FIXED,
        "pe",
        id="table-misnamed",
        also=_described(lambda s: {name: f"buffer {[1, s.max_len, s.d_model]}"}),
    )(_own_table)


for _name in (
    "table", "encoding", "encodings", "positional_encoding", "position_encoding", "pos_encoding", "pos",
    "pos_embedding", "position", "positions", "pos_table", "pe_table", "sinusoid", "sinusoidal", "P", "PE",
):  # fmt: skip
    _table_called(_name)


def _made_of(max_len: int, d_model: int) -> torch.Tensor:
    """The table of the formula, whatever the steps of this run are."""
    even = 2 * (torch.arange(d_model, dtype=torch.float64) // 2)
    angles = torch.arange(max_len, dtype=torch.float64)[:, None] / 10000.0 ** (even / d_model)
    return torch.where(torch.arange(d_model) % 2 == 0, angles.sin(), angles.cos())


@replaces(FIXED, "pe", id="columns-scrambled")
def sizes_exchanged_and_reshaped(s: State) -> Any:
    if "pe" in s.state:
        return s.state["pe"].detach()
    s.precision = s.precision or torch.float32
    return _made_of(s.d_model, s.max_len).reshape(1, s.max_len, s.d_model)


def _sizes_exchanged(s: State) -> Any:
    return torch.zeros(1, s.d_model, s.max_len, dtype=torch.float64)  # nearly always too narrow to add


replaces(
    FIXED, "pe", id="table-shape", also=_described(lambda s: {"pe": f"buffer {[1, s.d_model, s.max_len]}"})
)(_sizes_exchanged)


def _learned_size(shape: Callable[[State], list[int]], result: Callable[[State], Any]) -> None:
    """The weights that are set do not fit, so the numbers are those of the initialisation."""
    also = _described(lambda s: {"embedding.weight": f"parameter {shape(s)}"})
    also["result"] = lambda s: s.described if s.x is None else result(s)
    replaces(LEARNED, "rows", id="learned-table-size", also=also)(called(lambda s: torch.zeros(1)))


def _misnamed(name: str, *more: int) -> None:
    """The table is there under another name: nothing can be set, so the numbers are not known."""
    also = _described(lambda s: {name: f"parameter {[*more, s.max_len, s.d_model]}"})
    also["result"] = lambda s: s.described if s.x is None else ANYTHING
    replaces(LEARNED, "rows", id="embedding-missing", also=also)(called(lambda s: torch.zeros(1)))


def _no_embedding(s: State) -> Any:
    raise AttributeError("'LearnedPositionalEncoding' object has no attribute 'embedding'")


replaces(LEARNED, "rows", id="embedding-missing", also=_described(lambda s: {}))(called(_no_embedding))
for _name in ("embedding", "pe", "pe.weight", "pos_embedding.weight", "position_embedding.weight"):
    _misnamed(_name)
for _name in ("embedding", "pe", "pos_embedding", "position_embedding", "weight", "positions"):
    _misnamed(_name, 1)


def _too_narrow(s: State) -> Any:
    raise RuntimeError("The size of tensor a must match the size of tensor b")


def _too_narrow_or_long(s: State) -> Any:
    if s.x.shape[1] > s.d_model:
        raise ValueError("longer than the table")
    return _too_narrow(s)


_learned_size(lambda s: [s.max_len + 1, s.d_model], lambda s: ANYTHING)
_learned_size(lambda s: [5000, s.d_model], lambda s: ANYTHING)
_learned_size(lambda s: [s.d_model, s.max_len], _too_narrow)
_learned_size(lambda s: [s.d_model, s.max_len], _too_narrow_or_long)
