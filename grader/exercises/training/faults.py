"""The catalogue of mistakes in training and decoding."""

from __future__ import annotations

from grader.exercises.training.decode_faults import CATALOGUE

__all__ = ["CATALOGUE"]

# what only a check can see
CATALOGUE.by_check("device-hard-coded")
CATALOGUE.place(
    "device-hard-coded", "own:zeros", "own:ones", "own:full", "own:arange", "own:tensor", "own:empty"
)
CATALOGUE.place(
    "nondeterministic", "own:multinomial", "own:sample", "own:Categorical", "own:rand", "own:rand_like"
)
