"""The mistakes people make in `next_token_targets`."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.faults import Catalogue
from grader.diagnosis.model import State
from grader.exercises.training.model import IGNORE, ignored, padding_id, shifted, targets

__all__ = ["CATALOGUE", "replaces"]

CATALOGUE = Catalogue()
replaces = CATALOGUE.replaces


def _none(s: State) -> Tensor:
    return torch.zeros_like(s.token_ids, dtype=torch.bool)


def _at(column: int) -> Any:
    def ended(s: State) -> Tensor:
        found = torch.zeros_like(s.token_ids, dtype=torch.bool)
        found[:, column] = True
        return found

    return ended


# -- which token ------------------------------------------------------------------------------------


@replaces(targets, "following", also={"ended": _none})
def target_not_shifted(s: State) -> Any:
    return s.token_ids


@replaces(targets, "following", id="target-not-shifted")
def target_not_shifted_without_last(s: State) -> Any:
    return s.token_ids


@replaces(targets, "following", also={"ended": _at(0)})
def target_shifted_backwards(s: State) -> Any:
    return shifted(s.token_ids, -1)


@replaces(targets, "following", also={"ended": _none})
def target_wraps_around(s: State) -> Any:
    return s.token_ids.roll(-1, dims=1)


@replaces(targets, "following", id="target-wraps-around", also={"ended": _none})
def target_wraps_around_backwards(s: State) -> Any:
    return s.token_ids.roll(1, dims=1)


@replaces(targets, "following", id="target-wraps-around", also={"ended": _none})
def target_runs_into_next_row(s: State) -> Any:
    return s.token_ids.flatten().roll(-1).reshape(s.token_ids.shape)


@replaces(targets, "following", id="target-shifted-backwards")
def target_shifted_backwards_without_last(s: State) -> Any:
    return s.token_ids.roll(1, dims=1)


def _last(columns: int) -> Any:
    def ended(s: State) -> Tensor:
        found = torch.zeros_like(s.token_ids, dtype=torch.bool)
        found[:, -columns:] = True
        return found

    return ended


@replaces(targets, "following", also={"ended": _last(2)})
def target_shifted_too_far(s: State) -> Any:
    return shifted(s.token_ids, 2)


@replaces(targets, "following", id="target-shifted-too-far")
def target_shifted_too_far_rolled(s: State) -> Any:
    return s.token_ids.roll(-2, dims=1)


@replaces(targets, "following", "ended", "hidden")
def target_shifted_over_batch(s: State) -> Any:
    found = torch.zeros_like(s.token_ids, dtype=torch.bool)
    if s.at == "ended":
        found[-1:] = True
        return found
    if s.at == "hidden":
        return (s.following == padding_id(s)) & ~s.ended
    return s.token_ids.roll(-1, dims=0)


@replaces(targets, "following")
def target_of_first_row(s: State) -> Any:
    return shifted(s.token_ids, 1)[:1].expand_as(s.token_ids)


# -- what does not count ----------------------------------------------------------------------------


@replaces(targets, "hidden")
def target_padding_counts(s: State) -> Any:
    return _none(s)


@replaces(targets, "hidden")
def target_masks_current_padding(s: State) -> Any:
    return s.token_ids == padding_id(s)


@replaces(targets, "hidden")
def target_masks_both(s: State) -> Any:
    pad = padding_id(s)
    return (s.token_ids == pad) | ((s.following == pad) & ~s.ended)


@replaces(targets, "hidden", id="target-ignores-pad-id")
def target_pads_with_zero(s: State) -> Any:
    return (s.following == 0) & ~s.ended


@replaces(targets, "hidden", id="target-ignores-pad-id")
def target_pads_up_to(s: State) -> Any:
    return (s.following <= padding_id(s)) & ~s.ended


@replaces(targets, "hidden", id="target-ignores-pad-id")
def target_pads_up_to_zero(s: State) -> Any:
    return (s.following <= 0) & ~s.ended


@replaces(targets, "hidden")
def target_assumes_trailing(s: State) -> Any:
    """Nothing counts from the first padding on."""
    pads = ((s.following == padding_id(s)) & ~s.ended).long()
    return pads.cumsum(dim=1) > 0


@replaces(targets, "hidden", id="target-assumes-trailing")
def target_assumes_trailing_by_count(s: State) -> Any:
    """As many at the end as there is padding anywhere."""
    length = s.token_ids.shape[1]
    pads = (s.token_ids == padding_id(s)).sum(dim=1, keepdim=True)  # (B, 1)
    return torch.arange(length) >= length - 1 - pads


@replaces(targets, "hidden", also={"ended": _none})
def target_real_tokens_ignored(s: State) -> Any:
    return s.following != padding_id(s)


@replaces(targets, "hidden", id="target-real-tokens-ignored")
def target_real_tokens_ignored_too(s: State) -> Any:
    return s.following != padding_id(s)


@replaces(targets, "ended")
def target_last_not_ignored(s: State) -> Any:
    return _none(s)


def _last_is(value: Any) -> None:
    """What stands at the last position, in the ways in which people leave it."""

    def filled(s: State) -> Tensor:
        found: Tensor = s.following.masked_fill(s.hidden, s.filler)
        found[:, -1] = value(s)
        return found

    replaces(targets, "filled", id="target-last-not-ignored")(filled)


_last_is(lambda s: s.token_ids[:, -1])  # left from a copy of the tokens
_last_is(lambda s: padding_id(s))
_last_is(lambda s: torch.where(s.token_ids[:, -1] == padding_id(s), s.filler, s.token_ids[:, -1]))
_last_is(lambda s: 0)
_last_is(lambda s: -1)


@replaces(targets, "filler")
def ignore_index_hard_coded(s: State) -> Any:
    return IGNORE


def _filler(value: Any) -> None:
    replaces(targets, "filler", id="target-filler-wrong")(value)


_filler(lambda s: padding_id(s))
_filler(lambda s: -ignored(s))
_filler(lambda s: -1)
_filler(lambda s: 0)


# -- the form ---------------------------------------------------------------------------------------


@replaces(targets, "result")
def target_one_short(s: State) -> Any:
    """The last position is left out."""
    return s.filled[:, :-1].long()


def _of_dtype(dtype: torch.dtype | None) -> None:
    def result(s: State) -> Tensor:
        s.out_dtype = None
        found: Tensor = s.filled.to(dtype or s.token_ids.dtype)
        return found

    replaces(targets, "result", id="target-dtype-wrong")(result)


for _dtype in (torch.float32, torch.int32, None, torch.float64):
    _of_dtype(_dtype)


@replaces(targets, "result")
def target_tokens_changed(s: State) -> Any:
    s.touch("token_ids")
    return s.filled.long()


@replaces(targets, "result", id="not-implemented")
def nothing(s: State) -> Any:
    return None


MAKES = ("own:full_like", "own:zeros_like", "own:ones_like", "own:zeros", "own:ones", "own:full", "own:empty",
         "own:new_full", "own:new_zeros", "own:clone")  # fmt: skip
CATALOGUE.place("target-dtype-wrong", *MAKES, "own:float", "own:int", "own:to", "own:type", "return")
CATALOGUE.place("target-last-not-ignored", *MAKES, "own:roll")
CATALOGUE.place("target-tokens-changed", "own:token_ids", "own:in-place", "return")
CATALOGUE.place("target-one-short", "return")
CATALOGUE.place("target-shifted-over-batch", "own:roll", "own:token_ids")
CATALOGUE.place(
    "ignore-index-hard-coded", *MAKES, "own:masked_fill", "own:masked_fill_", "own:where", "return"
)
