"""Exercise 5 in one record."""

from __future__ import annotations

from grader.exercises.layer_norm.faults import CATALOGUE
from grader.exercises.layer_norm.model import add_norm, layer_norm
from grader.exercises.layer_norm.probes import PROBES
from grader.exercises.layer_norm.small import SMALL
from grader.exercises.room import Room

__all__ = ["ROOM"]

ROOM = Room(
    "layer_norm",
    {layer_norm.target: layer_norm, add_norm.target: add_norm},
    CATALOGUE,
    PROBES,
    small=SMALL,
)
