"""Exercise 3 in one record."""

from __future__ import annotations

from grader.exercises.positional_encoding.faults import CATALOGUE
from grader.exercises.positional_encoding.model import learned, sinusoidal, table
from grader.exercises.positional_encoding.probes import PROBES
from grader.exercises.positional_encoding.small import SMALL
from grader.exercises.room import Room

__all__ = ["ROOM"]

ROOM = Room(
    "positional_encoding", {m.target: m for m in (table, sinusoidal, learned)}, CATALOGUE, PROBES, small=SMALL
)
