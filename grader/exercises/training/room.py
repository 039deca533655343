"""Exercise 9 in one record."""

from __future__ import annotations

from grader.exercises.room import Room
from grader.exercises.training.decoding import decode
from grader.exercises.training.drawing import AFTER, DECODED
from grader.exercises.training.faults import CATALOGUE
from grader.exercises.training.lesson import train
from grader.exercises.training.model import loss, targets
from grader.exercises.training.probes import PROBES
from grader.exercises.training.small import SMALL

__all__ = ["ROOM"]

ROOM = Room(
    "training",
    {model.target: model for model in (targets, loss, train, decode)},
    CATALOGUE,
    PROBES,
    outputs={"train_step": ("losses", *AFTER), "greedy_decode": ("tokens", *DECODED)},
    small=SMALL,
)
