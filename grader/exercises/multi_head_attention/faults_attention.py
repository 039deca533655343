"""The mistakes of exercise 1, made again by a learner who writes attention inline."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import torch

from grader.diagnosis.faults import Catalogue, Family, Fault
from grader.diagnosis.model import State, Step
from grader.exercises.attention.faults import ALONE, ALONE_FAMILIES, COMMON
from grader.exercises.attention.faults import CATALOGUE as ATTENTION
from grader.exercises.multi_head_attention.model import drop, inner, keeps, mha

__all__ = ["CATALOGUE", "register_rare"]

CATALOGUE = Catalogue()
replaces = CATALOGUE.replaces

# What is returned, in-place changes, the axes of the softmax, and where dropout belongs differ here.
OTHERWISE = {
    "mask-in-place",
    "softmax-wrong-axis",
    "output-detached",
    "leading-dims-fixed",
    "dropout-called-wrongly",
    "shape-error",
}
RENAMED = {"mask-ignored": "mask-not-passed"}  # from outside the two are one
PLACES = {"output": "mixed"}


def _carry(fault: Fault) -> None:
    names = list(fault.steps)
    if "result" in names or fault.id in OTHERWISE:
        return
    if fault.id == "dropout-on-scores" and "output" in names:
        return  # dropout-on-output is a mistake of its own here
    table = {PLACES.get(name, name): inner(fault.steps[name]) for name in names}
    first = PLACES.get(names[0], names[0])
    also = {name: step for name, step in table.items() if name != first}
    identity = RENAMED.get(fault.id, fault.id)
    replaces(mha, first, id=identity, tier=fault.tier, absent=fault.absent, also=also)(table[first])


for _fault in ATTENTION.faults[:COMMON]:
    _carry(_fault)


def register_rare() -> None:
    """Adds the rarer mistakes of exercise 1, which come last in the search."""
    for fault in ATTENTION.faults[COMMON:ALONE]:
        _carry(fault)


def uncleared(s: State) -> Any:
    """Nothing is zeroed after the softmax."""
    return s.weights


def filled_with_infinity(s: State) -> Any:
    """Every forbidden score is -inf, so a row without an allowed key becomes NaN."""
    keep = keeps(s)
    return s.scaled if keep is None else s.scaled.masked_fill(~keep, -math.inf)


def _carry_family(family: Family) -> None:
    def build(value: float) -> dict[str, Step]:
        return {PLACES.get(name, name): inner(step) for name, step in family.build(value).items()}

    CATALOGUE.families.append(replace(family, model=mha, build=build))


for _family in ATTENTION.families[:ALONE_FAMILIES]:
    _carry_family(_family)


# -- more ways of writing the same -------------------------------------------------------------------


@replaces(mha, "scaled", id="scale-by-d-model")
def scale_by_heads(s: State) -> Any:
    return s.scores / math.sqrt(s.num_heads)


@replaces(mha, "masked", id="mask-inverted")
def mask_inverted_then_cleared(s: State) -> Any:
    keep = keeps(s)
    return s.scaled if keep is None else s.scaled.masked_fill(keep, -math.inf)


def _flipped(s: State) -> Any:
    return (~s.prepared).bool()  # on 0/1 integers -1 and -2, both "true"; raises on floats


def _cleared_by_flipped(s: State) -> Any:
    return s.weights if s.prepared is None else s.weights.masked_fill(_flipped(s), 0.0)


@replaces(mha, "masked", id="mask-bitwise-not-on-integers", also={"cleared": _cleared_by_flipped})
def mask_bitwise_not_twice(s: State) -> Any:
    return s.scaled if s.prepared is None else s.scaled.masked_fill(_flipped(s), -math.inf)


@replaces(mha, "masked", id="mask-zero-times-infinity")
def mask_times_infinity_then_cleared(s: State) -> Any:
    keep = keeps(s)
    return s.scaled if keep is None else s.scaled + (~keep).double() * -math.inf  # 0 * inf is NaN


# -- the softmax ------------------------------------------------------------------------------------


def _over(axis: int) -> Any:
    def weights(s: State) -> Any:
        return torch.softmax(s.masked, dim=axis)

    return weights


def _over_heads_and_keys(s: State) -> Any:
    B, H, L, S = s.masked.shape
    flat = s.masked.transpose(1, 2).reshape(B, L, H * S)
    return torch.softmax(flat, dim=-1).view(B, L, H, S).transpose(1, 2)


def _over_samples_and_heads(s: State) -> Any:
    folded = s.masked.flatten(0, 1)  # (B*H, L, S)
    return torch.softmax(folded, dim=0).view_as(s.masked)


for _weights in (_over(2), _over(1), _over(0), _over_heads_and_keys, _over_samples_and_heads):
    replaces(mha, "weights", id="softmax-wrong-axis")(_weights)
    replaces(
        mha,
        "weights",
        id="softmax-wrong-axis",
        also={"masked": filled_with_infinity, "cleared": uncleared},
    )(_weights)


@replaces(
    mha,
    "weights",
    id="dropout-on-scores",
    also={"masked": filled_with_infinity, "cleared": uncleared, "dropped": lambda s: s.cleared},
)
def dropout_on_masked_scores(s: State) -> Any:
    return torch.softmax(drop(s, s.masked), dim=-1)


@replaces(mha, "weights")
def softmax_replaced(s: State) -> Any:
    return torch.log_softmax(s.masked, dim=-1)


@replaces(mha, "cleared")
def softmax_twice(s: State) -> Any:
    return torch.softmax(s.weights, dim=-1)


@replaces(mha, "weights", id="softmax-twice")
def softmax_twice_then_cleared(s: State) -> Any:
    return torch.softmax(torch.softmax(s.masked, dim=-1), dim=-1)


@replaces(mha, "scores")
def scores_of_sums(s: State) -> Any:
    return s.q_heads.sum(-1)[..., :, None] * s.k_heads.sum(-1)[..., None, :]
