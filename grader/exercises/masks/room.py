"""Exercise 2 in one record."""

from __future__ import annotations

from grader.exercises.masks.faults import CATALOGUE
from grader.exercises.masks.model import apply, causal, combine, padding
from grader.exercises.masks.probes import PROBES
from grader.exercises.masks.small import SMALL
from grader.exercises.room import Room

__all__ = ["ROOM"]

ROOM = Room(
    "masks",
    {model.target: model for model in (padding, causal, combine, apply)},
    CATALOGUE,
    PROBES,
    small=SMALL,
)
