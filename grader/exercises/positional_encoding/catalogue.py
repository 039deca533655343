"""The catalogue of this exercise, and how a mistake is registered in several models at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.diagnosis.faults import Catalogue
from grader.diagnosis.model import Model, State, Step
from grader.exercises.positional_encoding.model import learned, sinusoidal, table

__all__ = ["BOTH_MODULES", "BOTH_TABLES", "CATALOGUE", "FIXED", "LEARNED", "called", "replaces"]

CATALOGUE = Catalogue()
BOTH_TABLES = (table, sinusoidal)  # the class may call the function, or make its table by itself
FIXED, LEARNED = (sinusoidal,), (learned,)
BOTH_MODULES = FIXED + LEARNED


def called(function: Callable[[State], Any]) -> Callable[[State], Any]:
    """The step, left out where nothing is called."""

    def step(s: State) -> Any:
        return None if s.x is None else function(s)

    return step


def replaces(models: tuple[Model, ...], *steps: str, **options: Any) -> Callable[[Step], Step]:
    """Registers the decorated function in each of the models."""

    def register(function: Step) -> Step:
        for model in models:
            CATALOGUE.replaces(model, *steps, **options)(function)
        return function

    return register
