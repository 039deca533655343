"""Mistakes in the masks: in the triangle, in the padding mask, and in how the two come together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import State, Step
from grader.exercises.tiny_transformer.catalogue import CATALOGUE, replaces
from grader.exercises.tiny_transformer.model import both, tiny

__all__: list[str] = []


# -- the causal mask is not there, or not always ----------------------------------------------------


@replaces(tiny, "causal_keep", absent=True)
def causal_mask_missing(s: State) -> Any:
    return s.padding


@replaces(tiny, "causal_keep")
def causal_replaces_padding(s: State) -> Any:
    return s.past


@replaces(tiny, "keep_mask")
def causal_always(s: State) -> Any:
    return both(s)


@replaces(tiny, "keep_mask")
def causal_flag_inverted(s: State) -> Any:
    return s.padding if s.causal else both(s)


def _any_padding(s: State) -> bool:
    return bool((s.token_ids == s.pad_id).any())


def _only_when(holds: Callable[[State], bool]) -> Step:
    return lambda s: both(s) if holds(s) else s.padding


for _id, _holds in (
    ("causal-mask-dropped-with-padding", lambda s: not _any_padding(s)),
    ("causal-mask-dropped-without-padding", _any_padding),
    ("causal-mask-dropped-in-batches", lambda s: len(s.token_ids) == 1),
    ("causal-mask-dropped-in-batches", lambda s: len(s.token_ids) > 1),
    ("causal-mask-in-one-mode", lambda s: s.train),
    ("causal-mask-in-one-mode", lambda s: not s.train),
    ("causal-mask-by-norm-order", lambda s: s.norm_first),
    ("causal-mask-by-norm-order", lambda s: not s.norm_first),
):
    replaces(tiny, "causal_keep", id=_id)(_only_when(_holds))


# -- the triangle -----------------------------------------------------------------------------------


def _triangle(id: str, change: Callable[[Tensor], Tensor]) -> None:
    replaces(tiny, "past", id=id)(lambda s: change(tiny.steps["past"](s)))


def _ones(mask: Tensor) -> Tensor:
    return torch.ones_like(mask)


_triangle("causal-mask-inverted", lambda m: ~m)
_triangle("causal-mask-transposed", lambda m: m.t())
_triangle("causal-mask-excludes-self", lambda m: m.tril(-1))
_triangle("causal-mask-peeks-ahead", lambda m: _ones(m).tril(1))
_triangle("causal-mask-peeks-ahead", lambda m: _ones(m).tril(2))
_triangle("causal-mask-window", lambda m: m.triu())
_triangle("causal-mask-window", lambda m: m.triu(-1))
_triangle("causal-mask-window", lambda m: m.triu(-2))
_triangle("causal-mask-antidiagonal", lambda m: m.flip(-1))
_triangle("causal-mask-antidiagonal", lambda m: m.flip(0))
_triangle("causal-mask-first-row-open", lambda m: m | (torch.arange(len(m)) == 0)[:, None])


@replaces(tiny, "past", id="causal-mask-wrong-size")
def triangle_of_the_batch(s: State) -> Any:
    return torch.ones(len(s.token_ids), len(s.token_ids), dtype=torch.bool).tril()


def _of_max_len(s: State) -> Any:
    return torch.ones(s.max_len, s.max_len, dtype=torch.bool).tril()


replaces(tiny, "past", id="causal-mask-wrong-size")(_of_max_len)


# -- how they come together -------------------------------------------------------------------------


def _combined(id: str, form: Callable[[Tensor, Tensor], Tensor]) -> None:
    replaces(tiny, "causal_keep", id=id)(lambda s: form(s.padding, s.past) if s.causal else None)


_combined("combine-with-or", lambda padding, past: padding | past)
_combined("combine-with-xor", lambda padding, past: padding ^ past)


def _inverted(mask: Tensor) -> Tensor:
    return ~mask


def _handed(id: str, change: Callable[[Tensor], Tensor], *, causal_only: bool = False) -> None:
    def handed(s: State) -> Any:
        kept = s.keep_mask
        return kept if kept is None or (causal_only and not s.causal) else change(kept)

    replaces(tiny, "handed", id=id)(handed)


_handed("mask-inverted", _inverted)
_handed("mask-inverted", _inverted, causal_only=True)
_handed("mask-transposed", lambda mask: mask.transpose(-2, -1), causal_only=True)
_handed("mask-first-sample", lambda mask: mask[:1])
_handed("mask-first-sample", lambda mask: mask[:1], causal_only=True)


_handed("mask-with-fill-values", torch.ones_like)
_handed("mask-with-fill-values", torch.ones_like, causal_only=True)


def _misaligned(mask: Tensor) -> Tensor:
    return mask.squeeze(1).unsqueeze(0)  # (1, B, S, S), which lines the batch up with the heads


_handed("mask-axis-added", _misaligned)
_handed("mask-axis-added", _misaligned, causal_only=True)


# -- the padding mask -------------------------------------------------------------------------------


@replaces(tiny, "padding", absent=True)
def padding_not_masked(s: State) -> Any:
    return None if s.causal else torch.ones_like(s.token_ids, dtype=torch.bool)[:, None, None, :]


@replaces(tiny, "keep_mask", id="padding-not-masked", absent=True)
def everything_allowed(s: State) -> Any:
    return s.causal_keep if s.causal else torch.ones_like(s.token_ids, dtype=torch.bool)[:, None, None, :]


def _either(id: str, form: Callable[[State], Any]) -> None:
    """A padding mask that is wrong in both modes, or in one of them."""
    replaces(tiny, "padding", id=id)(form)

    def causal(s: State) -> Any:
        return form(s) if s.causal else tiny.steps["padding"](s)

    replaces(tiny, "padding", id=id)(causal)


def _compared(keeps: Callable[[State], Tensor]) -> Callable[[State], Any]:
    return lambda s: keeps(s)[:, None, None, :]


_either("padding-mask-inverted", _compared(lambda s: s.token_ids == s.pad_id))
_either("pad-id-ignored", _compared(lambda s: s.token_ids != 0))
_either("pad-id-ignored", _compared(lambda s: s.token_ids > 0))
_either("pad-id-ignored", _compared(lambda s: s.token_ids > s.pad_id))
_either("padding-mask-masks-queries", lambda s: (s.token_ids != s.pad_id)[:, None, :, None])
_either("padding-mask-over-batch", _compared(lambda s: (s.token_ids != s.pad_id).all(0, keepdim=True)))
_either("padding-mask-shape", lambda s: s.token_ids != s.pad_id)  # (B, S), which attention reads as (L, S)


def _up_to_first(s: State) -> Tensor:
    found: Tensor = (s.token_ids == s.pad_id).cumsum(1) == 0
    return found


def _as_many_as_real(s: State) -> Tensor:
    lengths = (s.token_ids != s.pad_id).sum(1)
    found: Tensor = torch.arange(s.token_ids.shape[1])[None] < lengths[:, None]
    return found


_either("padding-mask-assumes-trailing", _compared(_up_to_first))
_either("padding-mask-assumes-trailing", _compared(_as_many_as_real))


def _first_always(s: State) -> Tensor:
    kept: Tensor = s.token_ids != s.pad_id
    return kept | (torch.arange(kept.shape[1]) == 0)


_either("padding-mask-first-column-open", _compared(_first_always))


@replaces(tiny, "keep_mask")
def pad_id_not_passed(s: State) -> Any:
    """The encoder makes its own mask, with the pad id that it has by default."""
    return s.causal_keep if s.causal else (s.token_ids != 0)[:, None, None, :]


@CATALOGUE.family(tiny, "padding", name="pad", tries=(1.0, 2.0, 3.0), id="pad-id-fixed")
def fixed_padding(s: State, pad: float) -> Any:
    return (s.token_ids != round(pad))[:, None, None, :]
