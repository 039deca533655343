"""The mistakes people make in layer normalisation and in the residual connection around a sublayer."""

from __future__ import annotations

from grader.diagnosis.places import WORDS
from grader.exercises.dropping import DROPS
from grader.exercises.layer_norm import faults_affine, faults_formula, faults_residual, faults_statistics
from grader.exercises.layer_norm.catalogue import CATALOGUE

__all__ = ["CATALOGUE"]

# The order of registration is the order of the search, and of preference between explanations of the
# same size: what people do most often comes first.
faults_residual.register()
faults_statistics.register()
faults_affine.register()
faults_statistics.register_rare()
faults_residual.register_rare()
faults_affine.register_rare()
faults_formula.register_rare()
CATALOGUE.by_check(
    "affine-initialised-wrong",
    "sublayer-called-twice",
    "sublayer-registered",
    "dropout-not-scaled",
    "dropout-whole-positions",
    "dropout-default-wrong",
    "result-kept-between-calls",
    "sublayer-not-called",
    "sublayer-arguments",
)


# where in the source (see grader.diagnosis.places)
CATALOGUE.place("affine-initialised-wrong", "weight=!ones", "bias=!zeros")
CATALOGUE.place("affine-not-parameter", "weight=!Parameter", "bias=!Parameter")
CATALOGUE.place("eps-default-wrong", "default:eps=1e-5")
CATALOGUE.place("dropout-default-wrong", "default:dropout=0.0", "def __init__")
CATALOGUE.place("input-modified", *WORDS["input-modified"], "?dropout_", "?Dropout(", "?dropout()")
CATALOGUE.place("norm-first-ignored", "norm_first=!norm_first", "if norm_first")
CATALOGUE.place("eps-ignored", "__init__(!eps", "LayerNorm(!eps")
CATALOGUE.by_check("sum-overflow-half")  # what is left after it depends on the way of writing
CATALOGUE.place("sum-overflow-half", "sum")
CATALOGUE.place("half-precision-overflow", "var", "**", "pow", "square")
CATALOGUE.place("norm-twice", "norm(#2", "norm(")
CATALOGUE.place("activation-added", "tanh", "relu", "sigmoid", "gelu")
CATALOGUE.place("output-clamped", "clamp", "clip", "hardtanh")
CATALOGUE.place("affine-only-in-training", "if training")
CATALOGUE.place("statistics-only-in-training", "if training")
CATALOGUE.place(
    "result-kept-between-calls", *(f"forward:{n}" for n in ("setdefault", "mean=", "var=", "cache="))
)
CATALOGUE.place("eps-is-dropout", "__init__(")
CATALOGUE.place("sublayer-registered", "sublayer=")
CATALOGUE.place("constant-row-nan-gradient", "sqrt", "std")
CATALOGUE.place("parameters-frozen", "requires_grad", "requires_grad_", "detach", "data", "weight=", "bias=")
CATALOGUE.place("dropout-whole-positions", *DROPS)
CATALOGUE.place("dropout-not-scaled", "rand_like", "rand", "bernoulli", "dropout()")
CATALOGUE.place("affine-wrong-shape", "weight=", "bias=")
