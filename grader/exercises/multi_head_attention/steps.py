"""What the steps of multi-head attention are called, and the orders in which they may be taken."""

from __future__ import annotations

import math
from collections.abc import Mapping

from torch import Tensor

from grader.diagnosis.model import Model, State
from grader.diagnosis.route import Route, StepName, named
from grader.exercises.attention.steps import AFTER_SCALING, FINE, MASKING, SCALING, cleared_everywhere
from grader.exercises.attention.steps import NAMES as INNER
from grader.exercises.multi_head_attention.model import inner, mha

__all__ = ["NAMES", "ROUTES"]

NAMES: Mapping[str, StepName] = {
    "q_proj": named("the projected queries", "投影后的查询", "B L F"),
    "k_proj": named("the projected keys", "投影后的键", "B S F"),
    "v_proj": named("the projected values", "投影后的值", "B S F"),
    "q_heads": named("the queries split into heads", "按头拆分的查询", "B H L F"),
    "k_heads": named("the keys split into heads", "按头拆分的键", "B H S F"),
    "v_heads": named("the values split into heads", "按头拆分的值", "B H S F"),
    "prepared": named("the mask for all heads", "供所有头使用的掩码", "B H L S"),
    **{name: StepName(known.words, f"B H {known.axes}") for name, known in INNER.items() if name != "output"},
    "mixed": named("each head's output", "每个头的输出", "B H L F"),
    "merged": named("the concatenated heads", "拼接后的各头", "B L F"),
    "projected": named("the output after W_o", "经 W_o 之后的输出", "B L F"),
}
EARLY = ("q_proj", "k_proj", "v_proj", "q_heads", "k_heads", "v_heads", "prepared")

product = Model(mha.target, mha.inputs, **mha.settings)
query_first = Model(mha.target, mha.inputs, **mha.settings)
product.include(mha, *EARLY, "scores", "scaled")
query_first.include(mha, *EARLY)


@query_first.step
def small_query(s: State) -> Tensor:
    quotient: Tensor = s.q_heads / math.sqrt(s.q_heads.shape[-1])  # (B, H, L, d_k)
    return quotient


@query_first.step
def scaled(s: State) -> Tensor:
    product: Tensor = s.small_query @ s.k_heads.transpose(-2, -1)  # (B, H, L, S)
    return product


for _route in (product, query_first):
    for _name, _step in AFTER_SCALING.steps.items():
        if _name not in ("dropped", "output", "result"):
            _route.steps[_name] = inner(_step)
    _route.include(mha, "dropped", "mixed", "merged", "projected", "result")

clearing = Model(mha.target, mha.inputs, **mha.settings)
clearing.include(product)
clearing.steps["cleared"] = inner(cleared_everywhere)


def _sizes(s: State) -> dict[str, int]:
    return {"d_k": s.d_model // s.num_heads, "d_model": int(s.d_model)}


ROUTES: Mapping[str, tuple[Route, ...]] = {
    mha.target: (
        Route(product, NAMES, sizes=_sizes, fine=FINE),
        Route(query_first, NAMES, sizes=_sizes, instead_of=SCALING, fine=FINE),
        Route(clearing, NAMES, sizes=_sizes, instead_of=MASKING, fine=FINE),
    )
}
