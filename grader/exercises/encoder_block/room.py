"""Exercise 6 in one record."""

from __future__ import annotations

from grader.exercises.encoder_block.faults import CATALOGUE
from grader.exercises.encoder_block.feed import feed
from grader.exercises.encoder_block.model import block
from grader.exercises.encoder_block.probes import PROBES
from grader.exercises.room import Room

__all__ = ["ROOM"]

ROOM = Room("encoder_block", {feed.target: feed, block.target: block}, CATALOGUE, PROBES)
