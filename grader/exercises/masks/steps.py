"""What the steps of the mask functions are called, and the ways in which they may be taken."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from torch import Tensor

from grader.diagnosis.model import Model, State
from grader.diagnosis.route import Route, StepName, named
from grader.exercises.masks.model import apply, causal, combine, distances, padding

__all__ = ["ROUTES"]

PADDING: Mapping[str, StepName] = {
    "pads": named("the positions of the padding", "填充词元的位置", "B S"),
    "real": named("the positions of the real tokens", "真实词元的位置", "B S"),
    "placed": named("the padding mask (B, 1, 1, S)", "填充掩码 (B, 1, 1, S)", "B H L S"),
}
CAUSAL: Mapping[str, StepName] = {
    "behind": named("the distances from each query back to each key", "每个查询到每个键的距离", "L S"),
    "ahead": named("the positions of keys after their query", "键在查询之后的位置", "L S"),
    "allowed": named("the positions of keys up to their query", "键不晚于查询的位置", "L S"),
    "shaped": named("the causal mask (S, S)", "因果掩码 (S, S)", "L S"),
}
COMBINE: Mapping[str, StepName] = {
    "by_padding": named("the positions that the padding mask allows", "填充掩码允许的位置", "B H L S"),
    "by_order": named("the positions that the causal mask allows", "因果掩码允许的位置", "L S"),
    "both": named("the positions that both masks allow", "两个掩码都允许的位置", "B H L S"),
    "joined": named("the combined mask (B, 1, S, S)", "合并后的掩码 (B, 1, S, S)", "B H L S"),
}
APPLY: Mapping[str, StepName] = {
    "allowed": named("the positions that the mask allows", "掩码允许的位置", "L S"),
    "forbidden": named("the positions that the mask forbids", "掩码禁止的位置", "L S"),
    "filled": named("the masked scores", "掩码后的分数", "L S"),
}

by_token = Model(padding.target, padding.inputs)
by_distance = Model(causal.target, causal.inputs)
by_part = Model(combine.target, combine.inputs)
by_allowed = Model(apply.target, apply.inputs)


# -- padding_mask -----------------------------------------------------------------------------------


@by_token.step
def pads(s: State) -> Tensor:
    found: Tensor = s.token_ids == (s.pad_id or 0)  # (B, S)
    return found


@by_token.step
def real(s: State) -> Tensor:
    found: Tensor = ~s.pads
    return found


by_token.include(padding, "placed", "result")


# -- causal_mask ------------------------------------------------------------------------------------


@by_distance.step
def behind(s: State) -> Tensor:
    return distances(s.size)  # (S, S)


@by_distance.step
def ahead(s: State) -> Tensor:
    found: Tensor = s.behind < 0
    return found


def no_later(s: State) -> Tensor:
    found: Tensor = ~s.ahead
    return found


by_distance.steps["allowed"] = no_later
by_distance.include(causal, "shaped", "result")


# -- combine_masks ----------------------------------------------------------------------------------


@by_part.step
def by_padding(s: State) -> Tensor:
    found: Tensor = s.padding != 0  # (B, 1, 1, S)
    return found


@by_part.step
def by_order(s: State) -> Tensor:
    found: Tensor = s.causal != 0  # (S, S)
    return found


@by_part.step
def both(s: State) -> Tensor:
    found: Tensor = s.by_padding & s.by_order  # (B, 1, S, S)
    return found


by_part.include(combine, "joined", "result")


# -- apply_mask -------------------------------------------------------------------------------------


@by_allowed.step
def allowed(s: State) -> Tensor:
    found: Tensor = s.mask != 0
    return found


@by_allowed.step
def forbidden(s: State) -> Tensor:
    found: Tensor = ~s.allowed
    return found


@by_allowed.step
def filled(s: State) -> Any:
    return s.scores.masked_fill(s.forbidden, -math.inf)


by_allowed.include(apply, "result")

ROUTES: Mapping[str, tuple[Route, ...]] = {
    padding.target: (Route(by_token, PADDING, lenient=False),),
    causal.target: (Route(by_distance, CAUSAL, lenient=False),),
    combine.target: (Route(by_part, COMBINE, lenient=False),),
    apply.target: (Route(by_allowed, APPLY, lenient=False),),
}
