"""The mistakes people make in `padding_mask` and `causal_mask`, and in what all masks return.

Those of the other two functions are in `apply_faults` and `combine_faults`; all are in one catalogue.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from grader.diagnosis.model import State
from grader.exercises.masks.combine_faults import CATALOGUE
from grader.exercises.masks.model import causal, combine, distances, padding

__all__ = ["CATALOGUE"]

replaces = CATALOGUE.replaces


def pad(s: State) -> int:
    """The padding id that the call asks for."""
    return int(s.pad_id or 0)


# -- padding_mask: which tokens ---------------------------------------------------------------------


@replaces(padding, "real")
def padding_mask_inverted(s: State) -> Any:
    return s.token_ids == pad(s)


@replaces(padding, "real")
def padding_mask_ignores_pad_id(s: State) -> Any:
    return s.token_ids != 0


@replaces(padding, "real", id="padding-mask-ignores-pad-id")
def padding_mask_ignores_pad_id_positive(s: State) -> Any:
    return s.token_ids > 0


@replaces(padding, "real")
def padding_mask_wrong_default(s: State) -> Any:
    return s.token_ids != (1 if s.pad_id is None else s.pad_id)


@replaces(padding, "real")
def padding_mask_compares_order(s: State) -> Any:
    return s.token_ids > pad(s)


@replaces(padding, "real")
def padding_mask_assumes_trailing(s: State) -> Any:
    return (s.token_ids != pad(s)).long().cumprod(dim=1).bool()


@replaces(padding, "real", id="padding-mask-assumes-trailing")
def padding_mask_by_count(s: State) -> Any:
    length = (s.token_ids != pad(s)).sum(dim=1, keepdim=True)
    return torch.arange(s.token_ids.shape[1]) < length


@replaces(padding, "real")
def padding_mask_first_row(s: State) -> Any:
    return (s.token_ids[0] != pad(s)).expand(s.token_ids.shape)


@replaces(padding, "real")
def padding_mask_in_place(s: State) -> Any:
    s.touch("token_ids")
    return s.token_ids != pad(s)


# -- padding_mask: the axes -------------------------------------------------------------------------


def _as(view: Any) -> Any:
    def placed(s: State) -> Any:
        return view(s.real)

    return placed


for _view in (
    lambda m: m,  # (B, S)
    lambda m: m[:, None, :],  # (B, 1, S)
    lambda m: m[None, None],  # (1, 1, B, S)
    lambda m: m[:, None, None, :].expand(-1, -1, m.shape[1], -1),  # (B, 1, S, S)
    lambda m: m[:, :, None],  # (B, S, 1)
    lambda m: m[:, :, None, None],  # (B, S, 1, 1)
    lambda m: m[None, :, None, :],  # (1, B, 1, S)
    lambda m: m[:, None, :].expand(-1, m.shape[1], -1),  # (B, S, S)
    lambda m: m.t()[:, None, None, :],  # (S, 1, 1, B)
):
    replaces(padding, "placed", id="padding-mask-shape")(_as(_view))

for _view in (
    lambda m: m[:, None, :, None],  # (B, 1, S, 1)
    lambda m: m[:, None, :, None].expand(-1, -1, -1, m.shape[1]),  # (B, 1, S, S)
    lambda m: m[:, None, :, None] & m[:, None, None, :],  # queries and keys: (B, 1, S, S)
):
    replaces(padding, "placed", id="padding-mask-masks-queries")(_as(_view))


@replaces(padding, "real", id="wrong-signature")
def padding_mask_without_pad_id(s: State) -> Any:
    if s.pad_id is not None:
        raise TypeError("padding_mask() got an unexpected argument 'pad_id'")
    return s.token_ids != 0


@replaces(padding, "real", id="wrong-signature")
def padding_mask_renamed_pad_id(s: State) -> Any:
    if "pad_id" in s.probe.kwargs:
        raise TypeError("padding_mask() got an unexpected keyword argument 'pad_id'")
    return s.token_ids != pad(s)


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


def _sized(more: int) -> Any:
    def allowed(s: State) -> Any:
        return distances(s.size + more) >= 0

    return allowed


for _more in (1, -1):
    replaces(causal, "allowed", id="causal-mask-wrong-size")(_sized(_more))


@replaces(causal, "shaped")
def causal_mask_extra_axes(s: State) -> Any:
    return s.allowed[None, None]  # (1, 1, S, S)


@replaces(causal, "shaped", id="causal-mask-extra-axes")
def causal_mask_one_extra_axis(s: State) -> Any:
    return s.allowed[None]  # (1, S, S)


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


def _additive(step: str) -> Any:
    def result(s: State) -> Any:
        keep = getattr(s, step)
        return torch.zeros(keep.shape).masked_fill(~keep, -math.inf)

    return result


def _nothing(s: State) -> Any:
    return None


for _model, _step in ((padding, "placed"), (causal, "shaped"), (combine, "joined")):
    for _dtype in (torch.float32, torch.int64, torch.int32, torch.uint8, torch.int8, torch.float64):
        replaces(_model, "result", id="mask-not-boolean")(_cast(_step, _dtype))
    replaces(_model, "result", id="mask-not-boolean")(_additive(_step))
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
CATALOGUE.by_check("causal-mask-on-cpu")
CATALOGUE.place("causal-mask-on-cpu", "ones", "arange", "full", "zeros", "tensor")
