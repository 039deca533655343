"""The mistakes people make in the tiny Transformer; the modules imported here register them."""

from __future__ import annotations

from grader.exercises.tiny_transformer import encoder_faults, mask_faults, output_faults
from grader.exercises.tiny_transformer.catalogue import CATALOGUE

__all__ = ["CATALOGUE"]

CATALOGUE.by_check("dropout-in-eval", "parameter-names", "mask-kept-between-calls")
CATALOGUE.by_check("device-hard-coded", "result-kept-between-calls")

_REGISTERED = (mask_faults, encoder_faults, output_faults)

# where in the source (see grader.diagnosis.places)
DEFAULTS = "default:max_len=512,dropout=0.0,causal=True,pad_id=0,norm_first=True"
MADE = "TransformerEncoder("
CATALOGUE.place("default-wrong", DEFAULTS, "def __init__")
CATALOGUE.place(
    "causal-mask-missing",
    "forward:encoder(!mask",
    "discarded",
    "forward:ones(",
    "if causal",
    "forward:encoder(",
    "def forward",
)
TRIANGLE = ("forward:causal_mask(", "forward:tril(", "forward:triu(")
CATALOGUE.place("causal-always", "if causal", *TRIANGLE)
CATALOGUE.place("causal-flag-inverted", "if causal", *TRIANGLE)
CATALOGUE.place("causal-replaces-padding", *TRIANGLE)
for _id in (
    "causal-mask-dropped-with-padding",
    "causal-mask-dropped-without-padding",
    "causal-mask-dropped-in-batches",
    "causal-mask-in-one-mode",
    "causal-mask-by-norm-order",
):
    CATALOGUE.place(_id, "if causal", "if training", "if norm_first", "forward:any(", "forward:all(")
CATALOGUE.place("layers-skipped", "forward:layers")
CATALOGUE.place("mask-in-first-layer-only", "maybe mask", "layer(!mask", "block(!mask")
CATALOGUE.place("embedding-not-scaled", "forward:embedding")
CATALOGUE.place("dropout-not-passed", f"{MADE}!dropout", MADE)
CATALOGUE.place("max-len-ignored", f"{MADE}!max_len", MADE)
CATALOGUE.place("norm-first-ignored", f"{MADE}!norm_first", MADE)
CATALOGUE.place("norm-order-swapped", MADE)
CATALOGUE.place("pad-id-not-passed", f"{MADE}!pad_id", MADE)
CATALOGUE.place("num-heads-ignored", f"{MADE}!num_heads", MADE)
CATALOGUE.place("num-layers-fixed", f"{MADE}!num_layers", MADE)
CATALOGUE.place("d-ff-ignored", f"{MADE}!d_ff", MADE)
CATALOGUE.place("encoder-arguments-exchanged", MADE)
CATALOGUE.place("projection-bias-missing", "output_projection=", "Linear(")
CATALOGUE.place("projection-width-wrong", "output_projection=", "Linear(")
CATALOGUE.place("weights-tied", "forward:embedding", "init:embedding")
CATALOGUE.place(
    "parameter-names",
    "unlike:encoder,output_projection",
    "register_buffer",
    "Sequential",
    "TransformerEncoder(",
)
CATALOGUE.place("extra-norm", "unlike:encoder,output_projection", "layer_norm")
CATALOGUE.place("encoder-detached", "detach", "no_grad", "data", "inference_mode")
CATALOGUE.place("parameters-frozen", "requires_grad_", "requires_grad", "no_grad", "detach")
CATALOGUE.place(
    "mask-kept-between-calls",
    "hasattr",
    "getattr",
    "if mask",
    "if triangle",
    "forward:mask=",
    "forward:causal_mask",
)
CATALOGUE.place("result-kept-between-calls", "hasattr", "getattr", "?return")
CATALOGUE.place("device-hard-coded", "causal_mask(!device", "ones(!device", "arange(!device", "full(!device")
