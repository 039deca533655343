"""The catalogue of this exercise, and how a mistake in a part of LayerNorm enters both models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.diagnosis.faults import Catalogue
from grader.diagnosis.model import State, Step
from grader.exercises.layer_norm.model import PARTS, add_norm, called, layer_norm, lifted

__all__ = ["CATALOGUE", "Part", "family", "in_add_norm", "in_both", "in_layer_norm"]

CATALOGUE = Catalogue()

Part = Callable[[Any], Any]


def _alone(name: str, function: Part) -> Step:
    return called(function) if name in PARTS else function


def _inside(name: str, function: Part) -> Step:
    if name in PARTS:
        return lifted(name, function)
    return function if name == "layout" else called(function)


def in_both(id: str, *, tier: str = "core", absent: bool = False, **parts: Part) -> None:
    """Registers the mistaken `parts` as a fault of LayerNorm and of AddNorm.

    A learner's AddNorm mostly inherits from their LayerNorm; the same id is reported once.
    """
    for model, wrap in ((layer_norm, _alone), (add_norm, _inside)):
        steps = {name: wrap(name, function) for name, function in parts.items()}
        first, *others = steps
        also = {name: steps[name] for name in others}
        CATALOGUE.replaces(model, first, id=id, tier=tier, absent=absent, also=also)(steps[first])


def in_layer_norm(id: str, name: str, function: Part) -> None:
    """Registers a mistaken part as a fault of LayerNorm alone: AddNorm's probes do not show it."""
    CATALOGUE.replaces(layer_norm, name, id=id)(_alone(name, function))


def in_add_norm(id: str, *, absent: bool = False, **steps: Part) -> None:
    """Registers the mistaken `steps` (or parts) as a fault of AddNorm alone."""
    table = {name: _inside(name, function) for name, function in steps.items()}
    first, *others = table
    also = {name: table[name] for name in others}
    CATALOGUE.replaces(add_norm, first, id=id, absent=absent, also=also)(table[first])


def family(
    id: str,
    step: str,
    name: str,
    tries: tuple[float, ...],
    part: Callable[[Any, float], Any],
    inside_tries: tuple[float, ...] | None = None,
) -> None:
    """Registers a mistaken part with a number, in both models; `inside_tries`: those for AddNorm."""

    def alone(s: State, value: float) -> Any:
        return None if s.probe.args is None else part(s, value)

    def inside(s: State, value: float) -> Any:
        return lifted(step, lambda within: part(within, value))(s)

    CATALOGUE.family(layer_norm, step, name=name, tries=tries, id=id)(alone)
    CATALOGUE.family(add_norm, step, name=name, tries=inside_tries or tries, id=id)(inside)
