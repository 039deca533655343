"""What the steps of attention are called, and the orders in which they may be taken."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from grader.diagnosis.model import Model, State
from grader.diagnosis.route import Route, StepName, named
from grader.exercises.attention.model import attention, empty_rows

__all__ = ["AFTER_SCALING", "FINE", "MASKING", "NAMES", "ROUTES", "SCALING", "cleared_everywhere"]

NAMES: Mapping[str, StepName] = {
    "fourth_query": named("Q divided by the fourth root of d_k", "Q 除以 d_k 的四次方根", "L F"),
    "fourth_key": named("K divided by the fourth root of d_k", "K 除以 d_k 的四次方根", "S F"),
    "small_query": named("Q/√d_k", "Q/√d_k", "L F"),
    "scores": named("the products QKᵀ", "乘积 QKᵀ", "L S"),
    "scaled": named("the scores QKᵀ/√d_k", "分数 QKᵀ/√d_k", "L S"),
    "keep": named("the positions that the mask allows", "掩码允许的位置", "L S"),
    "blocked": named("the positions that the mask forbids", "掩码禁止的位置", "L S"),
    "masked": named("the masked scores", "掩码后的分数", "L S"),
    "peak": named("each query's largest score", "每个查询的最大分数", "L S"),
    "lowered": named("the scores minus each query's largest", "减去每个查询最大值后的分数", "L S"),
    "exponentials": named("the exponentials of the scores", "分数的指数", "L S"),
    "totals": named("each query's sum of exponentials", "每个查询的指数之和", "L S"),
    "weights": named("the weights after the softmax", "softmax 之后的权重", "L S"),
    "cleared": named(
        "the weights, with zeros for queries without a key", "权重（没有可关注的键的查询为零）", "L S"
    ),
    "dropped": named("the weights after dropout", "dropout 之后的权重", "L S"),
    "output": named("the output, the weights times V", "输出，即权重乘以 V", "L F"),
}
FINE = ("peak", "lowered", "exponentials", "totals")
MASKING = ("keep", "blocked", "masked", "weights", "cleared")  # and those around the mask
SCALING = ("scores", "scaled")  # the steps that the routes take differently

product = Model(attention.target, attention.inputs)
query_first = Model(attention.target, attention.inputs)
both_first = Model(attention.target, attention.inputs)
common = Model(attention.target, attention.inputs)
product.include(attention, "scores", "scaled")


@query_first.step
def small_query(s: State) -> Tensor:
    quotient: Tensor = s.query / math.sqrt(s.query.shape[-1])  # (..., L, d_k)
    return quotient


def scaled_of_query(s: State) -> Tensor:
    product: Tensor = s.small_query @ s.key.transpose(-2, -1)  # (..., L, S)
    return product


query_first.steps["scaled"] = scaled_of_query


@both_first.step
def fourth_query(s: State) -> Tensor:
    quotient: Tensor = s.query / s.query.shape[-1] ** 0.25  # (..., L, d_k)
    return quotient


@both_first.step
def fourth_key(s: State) -> Tensor:
    quotient: Tensor = s.key / s.query.shape[-1] ** 0.25  # (..., S, d_k)
    return quotient


def scaled_of_both(s: State) -> Tensor:
    product: Tensor = s.fourth_query @ s.fourth_key.transpose(-2, -1)  # (..., L, S)
    return product


both_first.steps["scaled"] = scaled_of_both


@common.step
def keep(s: State) -> Tensor | None:
    return None if s.mask is None else s.mask != 0  # broadcasts to (..., L, S)


@common.step
def blocked(s: State) -> Tensor | None:
    return None if s.keep is None else ~s.keep


@common.step
def masked(s: State) -> Tensor:
    found: Tensor = s.scaled if s.blocked is None else s.scaled.masked_fill(s.blocked, -math.inf)
    return found


@common.step
def peak(s: State) -> Tensor:
    found: Tensor = s.masked.amax(dim=-1, keepdim=True)  # (..., L, 1)
    return found


@common.step
def lowered(s: State) -> Tensor:
    found: Tensor = s.masked - s.peak
    return found


@common.step
def exponentials(s: State) -> Tensor:
    return torch.exp(s.lowered)


@common.step
def totals(s: State) -> Tensor:
    found: Tensor = s.exponentials.sum(dim=-1, keepdim=True)  # (..., L, 1)
    return found


@common.step
def weights(s: State) -> Tensor:
    found: Tensor = s.exponentials / s.totals
    return found


@common.step
def cleared(s: State) -> Tensor:
    empty = empty_rows(s)
    found: Tensor = s.weights if empty is None else s.weights.masked_fill(empty, 0.0)
    return found


AFTER_SCALING = common
common.include(attention, "dropped", "output", "result")
for _route in (product, query_first, both_first):
    _route.include(common)


def cleared_everywhere(s: State) -> Tensor:
    """As many write it: zeros wherever the mask forbids, which changes nothing after a right softmax."""
    found: Tensor = s.weights if s.blocked is None else s.weights.masked_fill(s.blocked, 0.0)
    return found


clearing = Model(attention.target, attention.inputs)
clearing.include(product)
clearing.steps["cleared"] = cleared_everywhere


def _sizes(s: State) -> dict[str, int]:
    return {"d_k": int(s.query.shape[-1])}


ROUTES: Mapping[str, tuple[Route, ...]] = {
    attention.target: (
        Route(product, NAMES, sizes=_sizes, fine=FINE),
        Route(query_first, NAMES, sizes=_sizes, instead_of=SCALING, fine=FINE),
        Route(both_first, NAMES, sizes=_sizes, instead_of=SCALING, fine=FINE),
        Route(clearing, NAMES, sizes=_sizes, instead_of=MASKING, fine=FINE),
    )
}
