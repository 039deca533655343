"""The catalogue of this exercise, and how a mistake is registered in several models at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.diagnosis.faults import Catalogue
from grader.diagnosis.model import Model, Step
from grader.exercises.positional_encoding.model import learned, sinusoidal, table

__all__ = ["BOTH_MODULES", "BOTH_TABLES", "CATALOGUE", "replaces"]

CATALOGUE = Catalogue()
BOTH_TABLES = (table, sinusoidal)  # the class may call the function, or make its table by itself
BOTH_MODULES = (sinusoidal, learned)


def replaces(models: tuple[Model, ...], *steps: str, **options: Any) -> Callable[[Step], Step]:
    """Registers the decorated function in each of the models."""

    def register(function: Step) -> Step:
        for model in models:
            CATALOGUE.replaces(model, *steps, **options)(function)
        return function

    return register
