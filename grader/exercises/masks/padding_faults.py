"""The mistakes people make in `padding_mask`: which tokens count, and how the axes lie."""

from __future__ import annotations

from typing import Any

import torch

from grader.diagnosis.model import State
from grader.exercises.masks.combine_faults import CATALOGUE
from grader.exercises.masks.model import padding

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


def _ordered(real: Any) -> None:
    replaces(padding, "real", id="padding-mask-compares-order")(real)


_ordered(lambda s: s.token_ids < pad(s))
_ordered(lambda s: s.token_ids >= pad(s))


def _neighbour(step: int) -> Any:
    def real(s: State) -> Any:
        return s.token_ids != pad(s) + step

    return real


for _step in (1, -1):
    replaces(padding, "real", id="padding-mask-off-by-one")(_neighbour(_step))


@replaces(padding, "real")
def padding_mask_all_true(s: State) -> Any:
    return torch.ones_like(s.token_ids, dtype=torch.bool)


@replaces(padding, "real")
def padding_mask_keeps_first_pad(s: State) -> Any:
    hidden = s.token_ids == pad(s)
    return ~hidden | (hidden & (hidden.cumsum(dim=1) == 1))


@replaces(padding, "real")
def padding_mask_over_batch(s: State) -> Any:
    return (s.token_ids != pad(s)).any(dim=0).expand(s.token_ids.shape)


@replaces(padding, "real", id="padding-mask-over-batch")
def padding_mask_over_whole_batch(s: State) -> Any:
    return (s.token_ids != pad(s)).all(dim=0).expand(s.token_ids.shape)


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


@replaces(padding, "placed", id="padding-mask-first-row")
def padding_mask_of_first_row(s: State) -> Any:
    return s.real[:1, None, None, :]  # (1, 1, 1, S)


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


def _squeezed(then: Any) -> Any:
    """`squeeze()` takes away the batch axis of a single sequence, and the length axis of a single token."""

    def placed(s: State) -> Any:
        real = s.real.squeeze()
        return s.real[:, None, None, :] if real.shape == s.real.shape else then(real)

    return placed


for _then in (
    lambda m: m[:, None, None, :],  # raises: too many indices
    lambda m: m[..., None, None, :],  # (1, 1, S)
    lambda m: m.unsqueeze(1).unsqueeze(1),  # (S, 1, 1)
):
    replaces(padding, "placed", id="padding-mask-squeezed")(_squeezed(_then))


@replaces(padding, "real")
def view_not_contiguous(s: State) -> Any:
    if not s.token_ids.is_contiguous():
        raise RuntimeError("view size is not compatible with input tensor's size and stride")
    return s.token_ids != pad(s)


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
