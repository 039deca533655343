"""What the steps of layer normalisation are called, and the ways in which they may be taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Model, State, Step
from grader.diagnosis.route import Route, StepName, named
from grader.exercises.layer_norm.model import add_norm, drop, layer_norm

__all__ = ["ROUTES"]

PARTS: Mapping[str, StepName] = {
    "mean": named("the mean of each row", "每一行的均值", "T F"),
    "centred": named("the features minus their mean", "减去均值后的特征", "T F"),
    "squares": named("the squared deviations", "偏差的平方", "T F"),
    "raw_squares": named("the squared features", "特征的平方", "T F"),
    "mean_square": named("the mean square of each row", "每一行平方的均值", "T F"),
    "squared_mean": named("the square of the mean", "均值的平方", "T F"),
    "variance": named("the variance of each row", "每一行的方差", "T F"),
    "widened": named("the variance plus eps", "方差加 eps", "T F"),
    "root": named("the square root of variance plus eps", "方差加 eps 的平方根", "T F"),
    "inverse": named("one over that square root", "该平方根的倒数", "T F"),
    "normalised": named("the normalised features", "归一化后的特征", "T F"),
    "gained": named("the normalised features times the gain", "归一化后乘以增益", "T F"),
    "shifted": named("the result with gain and bias", "乘以增益并加上偏置的结果", "T F"),
}
FLOW: Mapping[str, StepName] = {
    "branch": named("what the sublayer returns", "子层的输出", "T F"),
    "dropped": named("the sublayer's output after dropout", "dropout 之后的子层输出", "T F"),
    "summed": named("x plus the sublayer's output", "x 加上子层输出", "T F"),
}
ADDED: Mapping[str, StepName] = {
    **{f"{name}_of_{what}": known for what in ("x", "sum") for name, known in PARTS.items()},
    "shifted_of_x": named("the normalised x", "归一化后的 x", "T F"),
    "shifted_of_sum": named("the normalised sum", "归一化后的和", "T F"),
    **FLOW,
}
SPREAD = ("squares", "variance")
CENTRE = ("mean", "centred", "normalised")


def _parts(of: str, take: Any, way: str) -> dict[str, Step]:
    """The steps of one normalisation of what `take` gives of the state; none where that is None.

    way: the variance as the mean of the squared deviations, as mean square minus squared mean
    (``moments``), or by itself (``apart``), whatever becomes of the mean.
    """

    def get(s: State, name: str) -> Any:
        return getattr(s, f"{name}{of}")

    def total(x: Tensor) -> Tensor:
        return x.mean(dim=-1, keepdim=True)  # (..., 1)

    def spread(s: State) -> Any:
        if way == "moments":
            return get(s, "mean_square") - get(s, "squared_mean")
        if way == "apart":
            return take(s).var(dim=-1, correction=0, keepdim=True)
        return total(get(s, "squares"))

    whole: dict[str, Step] = {
        "mean": lambda s: total(take(s)),
        "centred": lambda s: take(s) - get(s, "mean"),
        "squares": lambda s: get(s, "centred").square(),
        "raw_squares": lambda s: take(s).square(),
        "mean_square": lambda s: total(get(s, "raw_squares")),
        "squared_mean": lambda s: get(s, "mean").square(),
        "variance": spread,
        "widened": lambda s: get(s, "variance") + float(s.eps),
        "root": lambda s: torch.sqrt(get(s, "widened")),
        "inverse": lambda s: 1 / get(s, "root"),
        "normalised": lambda s: get(s, "centred") * get(s, "inverse"),
        "gained": lambda s: get(s, "normalised") * s.state["weight"],
        "shifted": lambda s: get(s, "gained") + s.state["bias"],
    }
    by_moments = ("raw_squares", "mean_square", "squared_mean")
    left_out = {"deviations": by_moments, "moments": ("squares",), "apart": (*by_moments, "squares")}[way]

    def guarded(step: Step) -> Step:
        return lambda s: None if take(s) is None else step(s)

    return {f"{name}{of}": guarded(step) for name, step in whole.items() if name not in left_out}


def _norm(way: str) -> Model:
    model = Model(layer_norm.target, layer_norm.inputs, **layer_norm.settings)
    model.steps |= _parts("", lambda s: s.x, way)
    model.steps["result"] = lambda s: s.shifted
    return model


def _add_norm(way: str) -> Model:
    """Both orders in one table: the norm stands in two places, of which one is passed over."""
    model = Model(add_norm.target, add_norm.inputs, **add_norm.settings)
    model.steps |= _parts("_of_x", lambda s: s.x if s.norm_first else None, way)
    model.steps |= {
        "branch": lambda s: s.sublayer(s.shifted_of_x if s.norm_first else s.x),
        "dropped": lambda s: drop(s, s.branch),
        "summed": lambda s: s.x + s.dropped,
    }
    model.steps |= _parts("_of_sum", lambda s: None if s.norm_first else s.summed, way)
    model.steps["result"] = lambda s: s.summed if s.norm_first else s.shifted_of_sum
    return model


def _sizes(s: State) -> dict[str, int]:
    return {"d_model": int(s.x.shape[-1])}


def _with(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{name}_of_{what}" for name in names for what in ("x", "sum"))


ROUTES: Mapping[str, tuple[Route, ...]] = {
    layer_norm.target: (
        Route(_norm("deviations"), PARTS, sizes=_sizes),
        Route(_norm("moments"), PARTS, sizes=_sizes, instead_of=SPREAD),
        Route(_norm("apart"), PARTS, sizes=_sizes, instead_of=CENTRE),
    ),
    add_norm.target: (
        Route(_add_norm("deviations"), ADDED, sizes=_sizes),
        Route(_add_norm("moments"), ADDED, sizes=_sizes, instead_of=_with(SPREAD)),
        Route(_add_norm("apart"), ADDED, sizes=_sizes, instead_of=_with(CENTRE)),
    ),
}
