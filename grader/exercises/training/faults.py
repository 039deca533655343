"""The catalogue of mistakes in training and decoding."""

from __future__ import annotations

from grader.exercises.training.decode_faults import CATALOGUE

__all__ = ["CATALOGUE"]

# what only a check can see
CATALOGUE.by_check("device-hard-coded")
