"""The mistakes people make in the encoder block; the modules imported here register them."""

from __future__ import annotations

from grader.exercises.dropping import DROPS
from grader.exercises.encoder_block import (
    dropout_faults,
    ffn_faults,
    flow_faults,
    graph_faults,
    norm_faults,
    residual_faults,
)
from grader.exercises.encoder_block.catalogue import CATALOGUE

__all__ = ["CATALOGUE"]

CATALOGUE.by_check("d-ff-ignored", "dropout-rate-ignored", "parameter-names")
CATALOGUE.by_check("dropout-whole-positions")
CATALOGUE.by_check("dropout-twice", "ffn-dropout-misplaced")

_REGISTERED = (ffn_faults, norm_faults, residual_faults, flow_faults, dropout_faults, graph_faults)


# where in the source (see grader.diagnosis.places)
CATALOGUE.place("default-wrong", "default:dropout=0.1,norm_first=False", "def __init__")
CATALOGUE.place(
    "activation-wrong", "GELU", "gelu", "Sigmoid", "sigmoid", "Tanh", "tanh", "SiLU", "silu", "ELU", "elu",
    "Softplus", "softplus", "abs", "softmax", "Softmax", "SELU", "selu", "Mish", "mish", "Hardswish",
    "hardswish", "logsigmoid", "LogSigmoid", "softsign", "exp", "square", "sin", "hardsigmoid",
)  # fmt: skip
CATALOGUE.place("dropout-missing", "AddNorm(!dropout")
CATALOGUE.place("ffn-before-attention", "first:feed_forward,self_attn", "flow:feed_forward")
CATALOGUE.place("ffn-shared-linear", "linear2=linear1", "forward:linear1#2", "linear2=")
CATALOGUE.place("mask-not-passed", "self_attn(!mask", "partial(!mask")
CATALOGUE.place("norm-first-ignored", "norm_first=!norm_first", "AddNorm(!norm_first")
CATALOGUE.place("norm-shared", "norm2=norm1", "twice:norm1", "?norm2=")
CATALOGUE.place("norm-swapped", "forward:norm2")
CATALOGUE.place("num-heads-ignored", "MultiHeadAttention(!num_heads", "MultiHeadAttention(")
CATALOGUE.place("residual-after-norm", "+norm")
CATALOGUE.place("ffn-twice", "twice:feed_forward")
CATALOGUE.place("ffn-skipped", "flow:feed_forward", "return")
CATALOGUE.place("attention-skipped", "flow:self_attn")
CATALOGUE.place(
    "dropout-rate-ignored", "init:Dropout(!dropout", "F.dropout(!p", "MultiHeadAttention(!dropout",
    "FeedForward(!dropout", "init:Dropout(",
)  # fmt: skip
CATALOGUE.place("d-ff-ignored", "FeedForward(!d_ff", "linear1=!d_ff", "linear2=!d_ff")
CATALOGUE.place(
    "parameter-names", *(f"{n}=bias" for n in ("linear1", "linear2", "norm1", "norm2")),
    "norm1=elementwise_affine", "unlike:linear1,linear2,self_attn,feed_forward,norm1,norm2",
)  # fmt: skip
CATALOGUE.place("dropout-whole-positions", *DROPS)
CATALOGUE.place("dropout-twice", "forward:dropout()#2")
CATALOGUE.place("ffn-dropout-misplaced", "forward:dropout()")
CATALOGUE.place("ffn-parallel", "flow:feed_forward")
CATALOGUE.place("dropout-once", "AddNorm(!dropout")
CATALOGUE.place("ffn-sizes-exchanged", "linear1=")
CATALOGUE.place("attention-twice", "twice:self_attn", "flow:self_attn")
CATALOGUE.place("attention-called-wrongly", "?flow:self_attn")
CATALOGUE.place("num-heads-fixed", "MultiHeadAttention(!num_heads", "MultiHeadAttention(")
CATALOGUE.place("residual-detached", "detach", "data", "no_grad")
CATALOGUE.place("parameters-frozen", "requires_grad_", "requires_grad", "no_grad")
CATALOGUE.place("add-norm-arguments-exchanged", "AddNorm(")
CATALOGUE.place("norm-order-mixed", "AddNorm(!norm_first")
CATALOGUE.place("activation-leaky", "LeakyReLU", "leaky_relu", "PReLU", "rrelu")
CATALOGUE.place("activation-capped", "ReLU6", "relu6", "clamp", "clip", "hardtanh", "Hardtanh")
