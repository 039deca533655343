"""The mistakes people make in multi-head attention: those of attention first, then its own."""

from __future__ import annotations

from grader.exercises.attention import synonyms
from grader.exercises.multi_head_attention import (
    faults_heads,
    faults_masks,
    faults_module,
    faults_projections,
)
from grader.exercises.multi_head_attention.faults_attention import CATALOGUE, register_rare
from grader.text import Text

__all__ = ["CATALOGUE"]

for _part in (faults_projections, faults_heads, faults_masks, faults_module):
    _part.register(CATALOGUE)
register_rare()
CATALOGUE.by_check(
    "dropout-drawn-twice",
    "dropout-not-scaled",
    "dropout-rate-ignored",
    "mask-kept-between-calls",
    "parameter-names",
)
synonyms.declare(CATALOGUE)
# one view in place of view and transpose, both ways: what comes of it is far from either alone
CATALOGUE.together("heads-split-without-transpose", "heads-merged-without-transpose")
CATALOGUE.same(
    "mask-filled-too-small",
    "mask-inverted",
    Text(
        "a large positive number where the mask forbids leaves weight only there",
        "在被屏蔽处填入很大的正数，权重就只留在那里",
    ),
)


# where in the source (see grader.diagnosis.places)
CATALOGUE.place("default-wrong", "default:dropout=0.0,bias=True", "def __init__")
CATALOGUE.place(
    "bias-ignored", "default:bias=True", *(f"{name}=!bias" for name in ("W_q", "W_k", "W_v", "W_o")), "W_q="
)
CATALOGUE.place("no-divisibility-check", "if num_heads", "init://", "def __init__")
CATALOGUE.place("dropout-ignored", "Dropout(!dropout", "scaled_dot_product_attention(!dropout")
CATALOGUE.place("dropout-rate-ignored", "init:Dropout(!dropout", "F.dropout(", "forward:dropout()")
CATALOGUE.place("dropout-on-projections", "forward:dropout()")
CATALOGUE.place("parameters-frozen", "requires_grad_", "requires_grad", "no_grad")
CATALOGUE.place("projection-detached", "detach", "no_grad", "data", "inference_mode", "tolist", "numpy")
CATALOGUE.place("num-heads-fixed", "num_heads=!num_heads", "h=!num_heads", "heads=!num_heads")
CATALOGUE.place("projection-shared-by-heads", "W_q=", "W_k=", "W_v=")
CATALOGUE.place("mask-head-axis-misplaced", "if dim", "if ndim")
CATALOGUE.place("mask-forms-ignored", "if dim", "if ndim", "?if mask")
CATALOGUE.place("returns-too-much", "return")
CATALOGUE.place("dropout-drawn-twice", "forward:dropout()#2")
CATALOGUE.place("dropout-on-scores", "forward:dropout()")
CATALOGUE.place("weights-returned-before-dropout", "forward:dropout()")
CATALOGUE.place("mask-filled-too-small", "?masked_fill", "?where")
CATALOGUE.place("fully-masked-row-uniform", "?masked_fill", "?where")
CATALOGUE.place("allowed-weights-cleared", "masked_fill#2", "where#2")
CATALOGUE.place(
    "mask-not-passed", "forward:mask=!mask", "scaled_dot_product_attention(!mask", "attention(!mask"
)
CATALOGUE.place(
    "mask-wrong-axis", *(f"forward:mask={way}" for way in ("T", "mT", "t", "transpose", "swapaxes"))
)
CATALOGUE.place("projection-reused", "init:weight=weight")
CATALOGUE.place("mask-kept-between-calls", "forward:mask=!unsqueeze", "forward:mask=", "hasattr", "if mask")
CATALOGUE.place("mask-only-in-training", "maybe mask", "if training")
CATALOGUE.place("mask-missing-head-axis", "if dim", "if ndim")
CATALOGUE.place("parameters-not-registered", "W_q=!Linear", "forward:Linear", "W_q=", "proj=")
CATALOGUE.place("scale-by-d-model", "scaling=", "scale=")
CATALOGUE.place("single-head", "h=!num_heads", "num_heads=!num_heads", "heads=!num_heads")
CATALOGUE.place("softmax-unstable", "exp")
CATALOGUE.place("softmax-wrong-axis", "?softmax")
CATALOGUE.place("projection-too-small", "W_q=")
CATALOGUE.by_check("half-precision-overflow")  # where it overflows depends on the way of writing
CATALOGUE.place("half-precision-overflow", "@", "bmm", "matmul", "einsum")
CATALOGUE.place("length-fixed", "key_len=", "len_k=", "src_len=", "S=")
CATALOGUE.place("softmax-missing", "sigmoid", "weights=", "attn_probs=", "attn=", "attention=", "a=")
