"""Exercise 6 in one record."""

from __future__ import annotations

from grader.exercises.encoder_block.carry import carry
from grader.exercises.encoder_block.faults import CATALOGUE
from grader.exercises.encoder_block.feed import feed
from grader.exercises.encoder_block.model import block
from grader.exercises.encoder_block.probes import PROBES
from grader.exercises.encoder_block.small import SMALL
from grader.exercises.room import Room

__all__ = ["ROOM"]

MODELS = {feed.target: feed, block.target: block}
ROOM = Room("encoder_block", MODELS, CATALOGUE, PROBES, small=SMALL, carry=carry)
