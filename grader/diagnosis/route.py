"""What the steps of a computation are called, and the ways in which a learner may take them.

A room's model has one order of steps.  Right submissions take others (the query divided before the
product, a softmax in pieces), so a room may offer several routes to the same result, each a model of
its own, finer than the one that the search works with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from grader.diagnosis.model import Model, State
from grader.text import Text

__all__ = ["AXES", "Axis", "Route", "StepName", "named"]


@dataclass(frozen=True)
class Axis:
    """What lies along an axis: all of it, and one of it."""

    all: Text
    one: Text


AXES: Mapping[str, Axis] = {
    "B": Axis(Text("the batch", "批次"), Text("element of the batch", "批次元素")),
    "H": Axis(Text("the heads", "头"), Text("head", "头")),
    "L": Axis(Text("the queries", "查询"), Text("query", "查询")),
    "S": Axis(Text("the keys", "键"), Text("key", "键")),
    "T": Axis(Text("the positions", "位置"), Text("position", "位置")),
    "P": Axis(Text("the pairs of columns", "列对"), Text("pair of columns", "列对")),
    "C": Axis(Text("the columns", "列"), Text("column", "列")),
    "F": Axis(Text("the features", "特征"), Text("feature", "特征")),
}


@dataclass(frozen=True)
class StepName:
    """words: what the value is, as a noun; axes: letters of its last axes, those of `AXES`."""

    words: Text
    axes: str = ""


@dataclass(frozen=True)
class Route:
    """model: the steps; names: what those that give a tensor are called; lenient: whether any number
    far below zero stands for -inf, as under a softmax it does; sizes: those that constants are made of
    (d_k, d_model), by their usual names; instead_of: the steps that this route takes otherwise than the
    first: it is tried when the mistake seems to be in one of them; fine: steps that few take one by one;
    kept: steps that only read what the constructor has made, and the name of that in the state."""

    model: Model
    names: Mapping[str, StepName]
    lenient: bool = True
    sizes: Callable[[State], Mapping[str, int]] = lambda state: {}
    instead_of: tuple[str, ...] = ()
    fine: tuple[str, ...] = ()
    kept: Mapping[str, str] = field(default_factory=dict)


def named(en: str, zh: str, axes: str = "") -> StepName:
    """A name in both languages."""
    return StepName(Text(en, zh), axes)
