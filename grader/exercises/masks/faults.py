"""The mistakes people make in `causal_mask`, and in what all masks return.

Those of the other functions are in `padding_faults`, `combine_faults` and `apply_faults`; all are in one
catalogue.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from grader.diagnosis.model import State
from grader.exercises.masks.model import causal, combine, distances, padding
from grader.exercises.masks.padding_faults import CATALOGUE

__all__ = ["CATALOGUE"]

replaces = CATALOGUE.replaces


# -- causal_mask ------------------------------------------------------------------------------------


@replaces(causal, "allowed")
def causal_mask_inverted(s: State) -> Any:
    return distances(s.size) < 0


@replaces(causal, "allowed")
def causal_mask_transposed(s: State) -> Any:
    return distances(s.size) <= 0


@replaces(causal, "allowed")
def causal_mask_excludes_self(s: State) -> Any:
    return distances(s.size) > 0


def _ahead(positions: int | None) -> Any:
    def allowed(s: State) -> Any:
        far = s.size if positions is None else positions
        return distances(s.size) >= -far

    return allowed


for _positions in (1, 2, 3, None):  # None: the triangle is not cut at all
    replaces(causal, "allowed", id="causal-mask-peeks-ahead")(_ahead(_positions))


def _window(width: int) -> Any:
    def allowed(s: State) -> Any:
        behind = distances(s.size)
        return (behind >= 0) & (behind < width)

    return allowed


for _width in (1, 2, 3, 4, 5):  # 1: each position sees itself only
    replaces(causal, "allowed", id="causal-mask-window")(_window(_width))


def _flipped(axis: int) -> Any:
    def allowed(s: State) -> Any:
        return (distances(s.size) >= 0).flip(axis)

    return allowed


for _axis in (1, 0):
    replaces(causal, "allowed", id="causal-mask-antidiagonal")(_flipped(_axis))


@replaces(causal, "allowed")
def causal_mask_first_row_open(s: State) -> Any:
    mask = distances(s.size) >= 0
    mask[0] = True
    return mask


def _without(rows: slice, columns: slice) -> Any:
    """A loop that begins one too late, or ends one too early."""

    def allowed(s: State) -> Any:
        mask = distances(s.size) >= 0
        mask[rows, columns] = False
        return mask

    return allowed


_ALL, _FIRST, _LAST = slice(None), slice(1), slice(-1, None)
for _rows, _columns in ((_LAST, _ALL), (_ALL, _LAST), (_FIRST, _ALL), (_ALL, _FIRST)):
    replaces(causal, "allowed", id="causal-mask-row-left-out")(_without(_rows, _columns))


def _sized(more: int) -> Any:
    def allowed(s: State) -> Any:
        return distances(s.size + more) >= 0

    return allowed


for _more in (1, -1):
    replaces(causal, "allowed", id="causal-mask-wrong-size")(_sized(_more))


def _oblong(rows: int, columns: int) -> Any:
    def allowed(s: State) -> Any:
        queries, keys = torch.arange(s.size + rows), torch.arange(s.size + columns)
        return queries[:, None] >= keys[None, :]

    return allowed


for _more_rows, _more_columns in ((0, 1), (0, 2), (0, -1), (1, 0), (-1, 0)):
    replaces(causal, "allowed", id="causal-mask-wrong-size")(_oblong(_more_rows, _more_columns))


@replaces(causal, "allowed")
def causal_mask_all_false(s: State) -> Any:
    return torch.zeros(s.size, s.size, dtype=torch.bool)


@replaces(causal, "shaped")
def causal_mask_extra_axes(s: State) -> Any:
    return s.allowed[None, None]  # (1, 1, S, S)


@replaces(causal, "shaped", id="causal-mask-extra-axes")
def causal_mask_one_extra_axis(s: State) -> Any:
    return s.allowed[None]  # (1, S, S)


@replaces(causal, "shaped")
def causal_mask_one_axis(s: State) -> Any:
    return s.allowed[-1]  # (S,)


@replaces(causal, "allowed", id="wrong-signature")
def causal_mask_without_device(s: State) -> Any:
    if "device" in s.probe.kwargs:
        raise TypeError("causal_mask() got an unexpected keyword argument 'device'")
    return distances(s.size) >= 0


# -- what is returned -------------------------------------------------------------------------------


def _cast(step: str, dtype: torch.dtype) -> Any:
    def result(s: State) -> Any:
        return getattr(s, step).to(dtype)

    return result


def _additive(step: str, fill: float) -> Any:
    def result(s: State) -> Any:
        keep = getattr(s, step)
        return torch.zeros(keep.shape).masked_fill(~keep, fill)

    return result


def _nothing(s: State) -> Any:
    return None


for _model, _step in ((padding, "placed"), (causal, "shaped"), (combine, "joined")):
    for _dtype in (torch.float32, torch.int64, torch.int32, torch.uint8, torch.int8, torch.float64):
        replaces(_model, "result", id="mask-not-boolean")(_cast(_step, _dtype))
    for _fill in (-math.inf, -1e9, -1e4):
        replaces(_model, "result", id="mask-not-boolean")(_additive(_step, _fill))
    replaces(_model, "result", id="not-implemented")(_nothing)


# -- places -----------------------------------------------------------------------------------------

# Axes are added or lost on the way out: the values are right, so the operations do not tell the line.
for _id in (
    "padding-mask-shape",
    "padding-mask-masks-queries",
    "causal-mask-extra-axes",
    "causal-mask-first-row-open",
    "combine-drops-head-axis",
):
    CATALOGUE.place(_id, "return")

# on the CPU nothing shows it but the device of what is returned
CATALOGUE.by_check("causal-mask-on-cpu", "device-hard-coded", "result-kept-between-calls")
CATALOGUE.place("causal-mask-row-left-out", "range")
CATALOGUE.place("causal-mask-on-cpu", "ones", "arange", "full", "zeros", "tensor")
