"""Exercise 7 in one record."""

from __future__ import annotations

from grader.exercises.encoder.carry import carry
from grader.exercises.encoder.faults import CATALOGUE
from grader.exercises.encoder.model import encoder
from grader.exercises.encoder.probes import PROBES
from grader.exercises.encoder.small import SMALL
from grader.exercises.room import Room

__all__ = ["ROOM"]

ROOM = Room("encoder", {encoder.target: encoder}, CATALOGUE, PROBES, small=SMALL, carry=carry)
