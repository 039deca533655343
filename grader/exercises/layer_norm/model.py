"""The models of layer normalisation (Ba et al. 2016, section 3) and of the residual connection
around a sublayer (Vaswani et al. 2017, sections 3.1 and 5.4; Xiong et al. 2020 for pre-LN).

`LayerNorm` is a table of parts.  `AddNorm` takes the same parts, but as functions that `norm` applies
to whatever is normalised there (x, the sum, or both when somebody does it twice): a mistake made in
LayerNorm is then the same mistake in an AddNorm that inherits from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Model, State, Step

__all__ = ["add_norm", "called", "drop", "lifted", "norm", "layer_norm", "layout_of"]

layer_norm = Model("LayerNorm", ("x",), d_model=0, eps=1e-5)
add_norm = Model("AddNorm", ("x", "sublayer"), d_model=0, dropout=0.0, norm_first=False, eps=1e-5)

PARTS: dict[str, Callable[[Any], Any]] = {}


def part(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Registers a step of LayerNorm that AddNorm has too."""
    PARTS[function.__name__] = function
    layer_norm.steps[function.__name__] = called(function)
    return function


def called(function: Callable[[Any], Any]) -> Step:
    """The step, left out by probes that only construct (there is no x then)."""

    def step(s: State) -> Any:
        return None if s.probe.args is None else function(s)

    return step


# -- LayerNorm --------------------------------------------------------------------------------------


@part
def axes(s: Any) -> tuple[int, ...]:
    return (-1,)  # the statistics are taken over the features of one position


@part
def mean(s: Any) -> Tensor:
    return torch.mean(s.x, dim=s.axes, keepdim=True)  # (..., 1)


@part
def centred(s: Any) -> Tensor:
    difference: Tensor = s.x - s.mean  # (..., d_model)
    return difference


@part
def correction(s: Any) -> int:
    return 0  # the biased variance: divided by d_model


@part
def variance(s: Any) -> Tensor:
    squares = s.centred.square()  # (..., d_model)
    total = squares.sum(dim=s.axes, keepdim=True)  # (..., 1)
    count = squares.numel() // total.numel()
    spread: Tensor = total / (count - s.correction)
    return spread


@part
def epsilon(s: Any) -> float:
    return float(s.eps)


@part
def root(s: Any) -> Tensor:
    return torch.sqrt(s.variance + s.epsilon)


@part
def normalised(s: Any) -> Tensor:
    quotient: Tensor = s.centred / s.root
    return quotient


@part
def gained(s: Any) -> Tensor:
    product: Tensor = s.normalised * s.state["weight"]
    return product


@part
def shifted(s: Any) -> Tensor:
    total: Tensor = s.gained + s.state["bias"]
    return total


@part
def returned(s: Any) -> Any:
    return s.shifted


def layout_of(s: State, **entries: str) -> dict[str, str]:
    """What a probe that only constructs observes of a state dict, in the order of the names."""
    return dict(sorted(entries.items()))


def layout(s: State) -> dict[str, str]:
    shape = f"parameter [{s.d_model}]"
    return layout_of(s, weight=shape, bias=shape)


layer_norm.step(layout)


@layer_norm.step
def result(s: State) -> Any:
    return s.layout if s.probe.args is None else s.returned


# -- one normalisation within AddNorm ---------------------------------------------------------------


class _Within:
    """What LayerNorm's parts read and write when they normalise a tensor inside AddNorm."""

    def __init__(self, outer: State, x: Any) -> None:
        object.__setattr__(self, "outer", outer)
        object.__setattr__(self, "x", x)

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "outer"), name)

    def __setattr__(self, name: str, value: Any) -> None:
        outer = object.__getattribute__(self, "outer")
        if name == "precision":
            outer.precision = value
        elif name == "out_dtype":
            if not outer.order:  # in pre-LN the sum with x has the dtype of x again
                outer.out_dtype = value
        else:
            object.__setattr__(self, name, value)


def norm(s: State, x: Any) -> Any:
    """LayerNorm of `x` with the parts (right or mistaken) of this run."""
    within = _Within(s, x)
    for name in PARTS:
        setattr(within, name, s.parts[name](within))
        setattr(s, name, getattr(within, name))  # where the search for the line looks
    return within.returned


def drop(s: State, value: Tensor) -> Tensor:
    """Dropout; the probes use rates 0 and 1 only, where it needs no chance."""
    return value * 0.0 if s.train and s.dropout > 0 else value


# -- AddNorm ----------------------------------------------------------------------------------------


def lifted(name: str, function: Callable[[Any], Any]) -> Step:
    """The step of AddNorm that hands a part of LayerNorm to `norm`."""

    def step(s: State) -> Any:
        s.parts[name] = function

    return step


@add_norm.step
def parts(s: State) -> dict[str, Callable[[Any], Any]]:
    return {}


for _name, _function in PARTS.items():
    add_norm.steps[_name] = lifted(_name, _function)


def _calls(function: Callable[[State], Any]) -> Callable[[State], Any]:
    add_norm.steps[function.__name__] = called(function)
    return function


@_calls
def order(s: State) -> bool:
    return bool(s.norm_first)


@_calls
def entering(s: State) -> Any:
    return norm(s, s.x) if s.order else s.x  # what the sublayer sees (..., d_model)


@_calls
def branch(s: State) -> Tensor:
    found: Tensor = s.sublayer(s.entering)
    return found


@_calls
def dropped(s: State) -> Tensor:
    return drop(s, s.branch)


@_calls
def summed(s: State) -> Any:
    return s.x + s.dropped


@_calls
def leaving(s: State) -> Any:
    return s.summed if s.order else norm(s, s.summed)


add_norm.step(layout)


@add_norm.step
def result_(s: State) -> Any:
    return s.layout if s.probe.args is None else s.leaving


add_norm.steps["result"] = add_norm.steps.pop("result_")
