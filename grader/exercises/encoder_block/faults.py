"""The mistakes people make in the encoder block; the modules imported here register them."""

from __future__ import annotations

from grader.exercises.encoder_block import ffn_faults, flow_faults, norm_faults
from grader.exercises.encoder_block.catalogue import CATALOGUE

__all__ = ["CATALOGUE"]

CATALOGUE.by_check("d-ff-ignored", "dropout-rate-ignored", "parameter-names")
CATALOGUE.by_check("dropout-twice", "ffn-dropout-misplaced")

_REGISTERED = (ffn_faults, norm_faults, flow_faults)


# where in the source (see grader.diagnosis.places)
CATALOGUE.place(
    "activation-wrong", "GELU", "gelu", "Sigmoid", "sigmoid", "Tanh", "tanh", "LeakyReLU", "leaky_relu",
    "SiLU", "silu", "ELU", "elu", "Softplus", "softplus", "ReLU6", "relu6", "abs", "softmax", "Softmax",
)  # fmt: skip
CATALOGUE.place("dropout-missing", "AddNorm(!dropout")
CATALOGUE.place("ffn-before-attention", "forward:feed_forward")
CATALOGUE.place("ffn-shared-linear", "linear2=")
CATALOGUE.place("mask-not-passed", "self_attn(!mask", "partial(!mask")
CATALOGUE.place("norm-first-ignored", "norm_first=!norm_first", "AddNorm(!norm_first")
CATALOGUE.place("norm-shared", "forward:norm1#2", "norm2=")
CATALOGUE.place("norm-swapped", "forward:norm2")
CATALOGUE.place("num-heads-ignored", "MultiHeadAttention(!num_heads", "MultiHeadAttention(")
CATALOGUE.place("residual-after-norm", "+norm")
CATALOGUE.place("ffn-twice", "forward:feed_forward#2")
CATALOGUE.place("attention-skipped", "forward:self_attn")
CATALOGUE.place(
    "dropout-rate-ignored", "MultiHeadAttention(!dropout", "FeedForward(!dropout", "init:Dropout("
)
CATALOGUE.place("dropout-twice", "forward:dropout()#2")
CATALOGUE.place("ffn-dropout-misplaced", "forward:dropout()")
CATALOGUE.place("ffn-parallel", "forward:feed_forward(")
