"""Exercise 4 in one record."""

from __future__ import annotations

from grader.exercises.multi_head_attention.carry import carry
from grader.exercises.multi_head_attention.faults import CATALOGUE
from grader.exercises.multi_head_attention.model import mha
from grader.exercises.multi_head_attention.probes import PROBES
from grader.exercises.multi_head_attention.small import SMALL
from grader.exercises.room import Room

__all__ = ["ROOM"]

OUTPUTS = {mha.target: ("output", "weights")}
ROOM = Room("multi_head_attention", {mha.target: mha}, CATALOGUE, PROBES, OUTPUTS, small=SMALL, carry=carry)
