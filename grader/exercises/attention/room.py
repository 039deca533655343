"""Exercise 1 in one record."""

from __future__ import annotations

from grader.exercises.attention.faults import CATALOGUE
from grader.exercises.attention.model import attention
from grader.exercises.attention.probes import PROBES
from grader.exercises.attention.small import SMALL
from grader.exercises.room import Room

__all__ = ["ROOM"]

OUTPUTS = {attention.target: ("output", "weights")}
ROOM = Room("attention", {attention.target: attention}, CATALOGUE, PROBES, OUTPUTS, small=SMALL)
