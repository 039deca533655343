"""The mistakes people make in scaled dot-product attention, common ones first.

`scale_faults`, `mask_faults`, `softmax_faults`, `edge_faults` and `flow_faults` register in this order;
then come the rarer ones.
"""

from __future__ import annotations

from grader.exercises.attention import rare_masks, rare_scores, rare_weights, synonyms
from grader.exercises.attention.flow_faults import CATALOGUE

__all__ = ["ALONE", "ALONE_FAMILIES", "CATALOGUE", "COMMON"]

RARE = (rare_scores, rare_masks, rare_weights)

COMMON = len(CATALOGUE.faults)  # those from here on come last, in exercise 4 too
for _rare in RARE:
    _rare.register(CATALOGUE)
ALONE, ALONE_FAMILIES = len(CATALOGUE.faults), len(CATALOGUE.families)  # exercise 4 has its own of these
for _rare in RARE:
    _rare.register_alone(CATALOGUE)
CATALOGUE.by_check("device-hard-coded")
synonyms.declare(CATALOGUE)


# where in the source (see grader.diagnosis.places)
CATALOGUE.place("softmax-unstable", "exp")
CATALOGUE.by_check("half-precision-overflow")  # where it overflows depends on the way of writing
CATALOGUE.place("half-precision-overflow", "@", "matmul", "bmm", "einsum")
CATALOGUE.place("softmax-missing", "sigmoid", "weights=", "attn=", "attention=")
CATALOGUE.place("causal-by-default", "tril", "triu", "tril_", "triu_")
CATALOGUE.place("query-normalised", "normalize", "norm")
CATALOGUE.place("mask-only-sometimes", "if dim", "if ndim", "if dtype", "if size", "if shape")
CATALOGUE.place("scores-clamped", "clamp", "clip", "tanh", "clamp_")
CATALOGUE.place("softmax-twice", "softmax#2")
CATALOGUE.place("weights-rounded", "round", "?round_")
