"""Exercise 8 in one record."""

from __future__ import annotations

from grader.exercises.room import Room
from grader.exercises.tiny_transformer.carry import carry
from grader.exercises.tiny_transformer.faults import CATALOGUE
from grader.exercises.tiny_transformer.model import tiny
from grader.exercises.tiny_transformer.probes import PROBES
from grader.exercises.tiny_transformer.small import SMALL

__all__ = ["ROOM"]

ROOM = Room("tiny_transformer", {tiny.target: tiny}, CATALOGUE, PROBES, small=SMALL, carry=carry)
