"""The mistakes people make in layer normalisation and in the residual connection around a sublayer."""

from __future__ import annotations

from grader.exercises.layer_norm import faults_affine, faults_residual, faults_statistics
from grader.exercises.layer_norm.catalogue import CATALOGUE

__all__ = ["CATALOGUE"]

# The order of registration is the order of preference between explanations of the same size.
faults_statistics.register()
faults_affine.register()
faults_residual.register()
CATALOGUE.by_check(
    "affine-initialised-wrong",
    "sublayer-called-twice",
    "sublayer-registered",
    "dropout-not-scaled",
)
