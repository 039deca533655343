"""Mistakes in cutting the features into heads and putting them together again."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from grader.diagnosis.faults import Catalogue, Family
from grader.diagnosis.model import State, Step
from grader.exercises.multi_head_attention.model import merge, mha, split

__all__ = ["register"]

HEADS = (("q_heads", "q_proj"), ("k_heads", "k_proj"), ("v_heads", "v_proj"))


def register(catalogue: Catalogue) -> None:
    """Adds these faults to the catalogue."""
    _register_split(catalogue)
    _register_axes(catalogue)
    _register_merge(catalogue)
    _register_single(catalogue)


def _cut(form: Any) -> dict[str, Step]:
    """The replacements of all three splits by the same mistaken form."""

    def made(source: str) -> Step:
        def step(s: State) -> Any:
            return form(s, getattr(s, source))

        return step

    return {step: made(source) for step, source in HEADS}


def _direct(s: State, x: Tensor) -> Tensor:
    return x.reshape(x.shape[0], s.num_heads, x.shape[1], -1)  # (B, H, S, d_k), but scrambled


def _strided(s: State, x: Tensor) -> Tensor:
    return x.reshape(x.shape[0], x.shape[1], -1, s.num_heads).permute(0, 3, 1, 2)


def _unmoved(s: State, x: Tensor) -> Tensor:
    return x.reshape(x.shape[0], x.shape[1], s.num_heads, -1)  # (B, S, H, d_k)


def _folded_by_view(s: State, x: Tensor) -> Tensor:
    apart = x.view(x.shape[0], x.shape[1], s.num_heads, -1).transpose(1, 2)
    d_k = apart.shape[-1]
    return apart.view(-1, x.shape[1], d_k).view(x.shape[0], s.num_heads, x.shape[1], d_k)


def _head_major(s: State, x: Tensor) -> Tensor:
    right = split(s, x)
    return right.transpose(0, 1).reshape(right.shape)  # (H*B, ...) read as (B, H, ...)


def _register_split(catalogue: Catalogue) -> None:
    def all_three(identity: str, form: Any, more: dict[str, Step] | None = None) -> None:
        table = _cut(form) | (more or {})
        first = table.pop("q_heads")
        catalogue.replaces(mha, "q_heads", id=identity, also=table)(first)

    all_three("heads-split-without-transpose", _direct)
    all_three("heads-interleaved", _strided)
    all_three("heads-interleaved", _strided, {"merged": _joined_strided})
    all_three("heads-not-transposed", _unmoved, {"merged": _flat})
    for identity, form in (("heads-split-without-transpose", _direct), ("heads-interleaved", _strided)):
        for step, replacement in _cut(form).items():  # one of the three lines differs from the others
            catalogue.replaces(mha, step, id=identity)(replacement)
    all_three("view-not-contiguous", _folded_by_view)
    all_three("reshape-batch-and-heads", _head_major)

    def too_short(s: State, x: Tensor) -> Tensor:
        d_k = s.d_model // s.num_heads
        return x.reshape(x.shape[0], s.q_proj.shape[1], s.num_heads, d_k).transpose(1, 2)

    table = _cut(too_short)
    catalogue.replaces(mha, "k_heads", id="length-fixed", also={"v_heads": table["v_heads"]})(
        table["k_heads"]
    )


def _flat(s: State) -> Any:
    return s.mixed.reshape(s.mixed.shape[0], -1, s.d_model)


def _joined_as(axes: tuple[int, int, int, int]) -> Step:
    """Joined after a permutation that is not the one of the split."""

    def merged(s: State) -> Any:
        B, _, L, _ = s.mixed.shape
        return s.mixed.permute(*axes).reshape(B, L, s.d_model)

    return merged


def _joined_strided(s: State) -> Any:
    return s.mixed.permute(0, 2, 3, 1).reshape(s.mixed.shape[0], -1, s.d_model)


def _widths_exchanged(s: State, x: Tensor) -> Tensor:
    """num_heads and d_k in each other's place: d_k heads, each num_heads wide."""
    return x.reshape(x.shape[0], x.shape[1], -1, s.num_heads).transpose(1, 2)


def _sequence_last(s: State, x: Tensor) -> Tensor:
    """(B, d_model, S) read as (B, H, S, d_k): the features of a head come from other positions."""
    return x.transpose(1, 2).reshape(x.shape[0], s.num_heads, x.shape[1], -1)


def _register_axes(catalogue: Catalogue) -> None:
    """Axes that are exchanged where the heads are cut, and numbers of heads that are not num_heads."""

    def scaled_by_width(s: State) -> Any:
        return s.scores / math.sqrt(s.d_model // s.num_heads)

    table = _cut(_widths_exchanged)
    first = table.pop("q_heads")
    for more in ({}, {"scaled": scaled_by_width}):
        also: dict[str, Step] = table | more
        catalogue.replaces(mha, "q_heads", id="heads-and-width-exchanged", also=also)(first)

    table = _cut(_sequence_last)
    for step, replacement in table.items():
        catalogue.replaces(mha, step, id="heads-split-wrong-axes")(replacement)
    first = table.pop("q_heads")
    catalogue.replaces(mha, "q_heads", id="heads-split-wrong-axes", also=table)(first)
    keys = table["k_heads"]
    catalogue.replaces(mha, "k_heads", id="heads-split-wrong-axes", also={"v_heads": table["v_heads"]})(keys)

    def fixed(heads: float) -> dict[str, Step]:
        def cut(s: State, x: Tensor) -> Tensor:
            count = max(1, round(heads))
            return x.reshape(x.shape[0], -1, count, s.d_model // count).transpose(1, 2)

        return _cut(cut)

    catalogue.families.append(
        Family("num-heads-fixed", mha, "heads", fixed, (4.0, 8.0, 2.0), primary="q_heads")
    )


def _register_merge(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces

    @replaces(mha, "merged")
    def heads_merged_without_transpose(s: State) -> Any:
        return s.mixed.reshape(s.mixed.shape[0], s.query.shape[1], s.d_model)

    @replaces(mha, "merged")
    def view_not_contiguous(s: State) -> Any:
        B, H, L, d_k = s.mixed.shape
        return s.mixed.contiguous().transpose(1, 2).view(B, L, H * d_k)

    replaces(mha, "merged", id="heads-merged-interleaved")(_joined_strided)

    @replaces(mha, "merged", id="reshape-batch-and-heads")
    def unfolded_head_first(s: State) -> Any:
        B, H, L, d_k = s.mixed.shape
        return s.mixed.reshape(H, B, L, d_k).permute(1, 2, 0, 3).reshape(B, L, -1)

    @replaces(mha, "merged", id="reshape-batch-and-heads")
    def positions_before_batch(s: State) -> Any:
        B, H, L, d_k = s.mixed.shape
        return s.mixed.permute(2, 0, 1, 3).reshape(B, L, H * d_k)

    for axes in ((0, 1, 3, 2), (0, 3, 1, 2), (0, 3, 2, 1)):
        replaces(mha, "merged", id="heads-merged-wrong-axes")(_joined_as(axes))
    for axes in ((1, 0, 2, 3), (1, 2, 0, 3), (2, 1, 0, 3)):
        replaces(mha, "merged", id="reshape-batch-and-heads")(_joined_as(axes))

    @replaces(mha, "merged")
    def heads_out_of_order(s: State) -> Any:
        return merge(s, s.mixed.flip(1))

    @replaces(mha, "merged")
    def batch_of_one(s: State) -> Any:
        return merge(s, s.mixed).reshape(1, -1, s.d_model)

    for form in (
        lambda x, n: x.mean(dim=1).repeat(1, 1, n),
        lambda x, n: x.sum(dim=1).repeat(1, 1, n),
        lambda x, n: x.mean(dim=1),  # raises: W_o wants d_model features
    ):

        def averaged(s: State, form: Any = form) -> Any:
            return form(s.mixed, s.num_heads)

        replaces(mha, "merged", id="heads-averaged")(averaged)


def _register_single(catalogue: Catalogue) -> None:
    """One head of full width; what is returned as weights has several forms."""

    def whole(s: State, x: Tensor) -> Tensor:
        return x.unsqueeze(1)  # (B, 1, S, d_model)

    def one_mask(s: State) -> Any:
        if s.mask is None or s.mask.dim() < 3:
            return s.mask
        return s.mask.unsqueeze(1) if s.mask.dim() == 3 else s.mask[:, :1]

    def joined(s: State) -> Any:
        return s.mixed.squeeze(1)

    def returning(form: Any) -> Step:
        def result(s: State) -> Any:
            return s.projected, form(s)

        return result

    for form in (
        lambda s: s.dropped,
        lambda s: s.dropped.expand(-1, s.num_heads, -1, -1),
        lambda s: s.dropped.squeeze(1),
    ):
        table = _cut(whole) | {"prepared": one_mask, "merged": joined, "result": returning(form)}
        first = table.pop("q_heads")
        catalogue.replaces(mha, "q_heads", id="single-head", also=table)(first)
