"""Mistakes in the padding mask, and in which mask reaches the layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import State, Step
from grader.exercises.encoder.catalogue import CATALOGUE, replaces
from grader.exercises.encoder.model import encoder

__all__: list[str] = []


@replaces(encoder, "keep_mask")
def mask_not_passed(s: State) -> Any:
    return None


@replaces(encoder, "keep_mask", id="mask-not-passed")
def given_mask_ignored(s: State) -> Any:
    return s.padding


@replaces(encoder, "masks")
def mask_in_first_layer_only(s: State) -> Any:
    return [s.keep_mask, *[None] * (s.num_layers - 1)]


@replaces(encoder, "padding", absent=True)
def padding_not_masked(s: State) -> Any:
    return None


def _zeroed(s: State) -> Any:
    return s.positioned.masked_fill((s.token_ids == s.pad_id)[..., None], 0.0)


@replaces(encoder, "padding", also={"entering": _zeroed})
def padding_zeroed_not_masked(s: State) -> Any:
    return None


def _scaled_zeroed(s: State) -> Any:
    """Before the positions are added, so that those stay."""
    return encoder.steps["scaled"](s).masked_fill((s.token_ids == s.pad_id)[..., None], 0.0)


replaces(encoder, "padding", id="padding-zeroed-not-masked", also={"scaled": _scaled_zeroed})(lambda s: None)


@replaces(encoder, "padding")
def pad_id_ignored(s: State) -> Any:
    return (s.token_ids != 0)[:, None, None, :]


@replaces(encoder, "padding", id="pad-id-ignored")
def only_positive_ids(s: State) -> Any:
    return (s.token_ids > 0)[:, None, None, :]


@replaces(encoder, "padding")
def padding_mask_inverted(s: State) -> Any:
    return (s.token_ids == s.pad_id)[:, None, None, :]


@replaces(encoder, "padding")
def padding_mask_masks_queries(s: State) -> Any:
    return (s.token_ids != s.pad_id)[:, None, :, None]


@replaces(encoder, "padding")
def padding_mask_over_batch(s: State) -> Any:
    return (s.token_ids != s.pad_id).all(dim=0)[None, None, None, :]


@replaces(encoder, "keep_mask")
def mask_combined_with_padding(s: State) -> Any:
    if s.mask is None:
        return s.padding
    given = s.mask.unsqueeze(1) if s.mask.dim() == 3 else s.mask
    return s.padding & given.bool()


@replaces(encoder, "padding", id="padding-mask-shape")
def mask_of_two_axes(s: State) -> Any:
    return s.token_ids != s.pad_id  # (B, S), which attention reads as (L, S)


@replaces(encoder, "padding", id="pad-id-ignored")
def ids_above_padding(s: State) -> Any:
    return (s.token_ids > s.pad_id)[:, None, None, :]


@replaces(encoder, "keep_mask")
def mask_condition_inverted(s: State) -> Any:
    return None if s.mask is None else s.padding


@replaces(encoder, "keep_mask", id="mask-combined-with-padding")
def mask_or_padding(s: State) -> Any:
    if s.mask is None:
        return s.padding
    given = s.mask.unsqueeze(1) if s.mask.dim() == 3 else s.mask
    return s.padding | given.bool()


def _past(s: State) -> Tensor:
    length = s.token_ids.shape[1]
    return torch.ones(length, length).tril().bool()


@replaces(encoder, "padding")
def causal_mask_added(s: State) -> Any:
    return encoder.steps["padding"](s) & _past(s)


@replaces(encoder, "keep_mask", id="causal-mask-added")
def causal_mask_always(s: State) -> Any:
    kept = encoder.steps["keep_mask"](s)
    return (kept.unsqueeze(1) if kept.dim() == 3 else kept).bool() & _past(s)


@replaces(encoder, "masks", id="mask-in-first-layer-only")
def mask_in_last_layer_only(s: State) -> Any:
    return [*[None] * (s.num_layers - 1), s.keep_mask][: s.num_layers]


def _kept_in(chosen: Callable[[int, int], bool]) -> Step:
    return lambda s: [s.keep_mask if chosen(i, s.num_layers) else None for i in range(s.num_layers)]


for _chosen in (
    lambda i, n: i > 0,
    lambda i, n: i < n - 1,
    lambda i, n: i % 2 == 0,
    lambda i, n: i % 2 == 1,
):
    replaces(encoder, "masks", id="mask-in-first-layer-only")(_kept_in(_chosen))


@CATALOGUE.family(encoder, "padding", name="pad", tries=(1.0, 2.0, 3.0), id="pad-id-fixed")
def fixed_padding(s: State, pad: float) -> Any:
    return (s.token_ids != round(pad))[:, None, None, :]


@replaces(encoder, "padding", id="pad-id-ignored")
def ids_below_padding(s: State) -> Any:
    return (s.token_ids < s.pad_id)[:, None, None, :]


@replaces(encoder, "padding")
def padding_mask_first_row(s: State) -> Any:
    return (s.token_ids[:1] != s.pad_id)[:, None, None, :]


def _up_to_first(s: State) -> Any:
    return ((s.token_ids == s.pad_id).cumsum(1) == 0)[:, None, None, :]


def _as_many_as_real(s: State) -> Any:
    lengths = (s.token_ids != s.pad_id).sum(1)
    return (torch.arange(s.token_ids.shape[1])[None] < lengths[:, None])[:, None, None, :]


replaces(encoder, "padding", id="padding-mask-assumes-trailing")(_up_to_first)
replaces(encoder, "padding", id="padding-mask-assumes-trailing")(_as_many_as_real)


def _given(change: Callable[[Tensor], Tensor]) -> Step:
    """What is done to a mask that is given, and not to the padding mask."""
    return lambda s: s.padding if s.mask is None else change(s.mask)


def _any(change: Callable[[Tensor], Tensor]) -> Step:
    """What is done to either mask on the way to the layers."""

    def keep_mask(s: State) -> Any:
        right = encoder.steps["keep_mask"](s)
        return None if right is None else change(right)

    return keep_mask


for _id, _change in (
    ("mask-inverted", lambda mask: mask == 0),
    ("mask-transposed", lambda mask: mask.transpose(-2, -1)),
    ("mask-axis-added", lambda mask: mask.unsqueeze(1)),
    ("mask-axis-added", lambda mask: mask.unsqueeze(0)),
    ("mask-first-sample", lambda mask: mask[:1]),
):
    replaces(encoder, "keep_mask", id=_id)(_given(_change))
    replaces(encoder, "keep_mask", id=_id)(_any(_change))


@replaces(encoder, "keep_mask", id="mask-axis-added")
def query_rows_read_as_padding(s: State) -> Any:
    """(L, S) is taken for (B, S), where there are as many sequences as tokens."""
    if s.mask is None or s.mask.shape != s.token_ids.shape:
        return encoder.steps["keep_mask"](s)
    return s.mask[:, None, None, :]
