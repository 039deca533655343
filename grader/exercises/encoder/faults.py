"""The mistakes people make in the encoder; the modules imported here register them, the common first."""

from __future__ import annotations

from grader.exercises.encoder import embedding_faults, end_faults, layer_faults, mask_faults, table_faults
from grader.exercises.encoder.catalogue import CATALOGUE

__all__ = ["CATALOGUE"]

CATALOGUE.by_check("dropout-not-passed", "parameter-names", "d-ff-ignored", "dropout-in-eval")
CATALOGUE.by_check("mask-kept-between-calls", "result-kept-between-calls")

_REGISTERED = (embedding_faults, mask_faults, layer_faults, end_faults, table_faults)


# where in the source (see grader.diagnosis.places)
KEPT = ("hasattr", "getattr", "?return")
DROPPING = ("EncoderBlock", "SinusoidalPositionalEncoding", "Dropout", "F.dropout")
CATALOGUE.place("default-wrong", "default:dropout=0.1,max_len=5000,pad_id=0,norm_first=False", "def __init__")
CATALOGUE.place("layers-not-registered", "layers=")
CATALOGUE.place("layers-shared", "forward:layers[]", "append(", "ModuleList", "layers=")
CATALOGUE.place("mask-in-first-layer-only", "maybe mask", "layer(!mask", "block(!mask")
CATALOGUE.place("mask-not-passed", "layer(!mask", "block(!mask")
CATALOGUE.place("pad-id-ignored", "padding_mask(!pad_id", "compare")
CATALOGUE.place("padding-mask-inverted", "compare")
CATALOGUE.place("padding-zeroed-not-masked", "masked_fill", "where")
CATALOGUE.place("dropout-not-passed", *(f"{name}(!dropout" for name in DROPPING))
CATALOGUE.place("max-len-ignored", "SinusoidalPositionalEncoding(!max_len")
CATALOGUE.place("norm-first-ignored", "EncoderBlock(!norm_first")
CATALOGUE.place("embedding-scaled-by-d-model", "scale=", "?forward:d_model")
CATALOGUE.place("final-norm-in-post-ln", "norm=!norm_first")
CATALOGUE.place("final-norm-missing", "norm=Identity", "if training")
CATALOGUE.place("final-norm-order-swapped", "if norm_first")
CATALOGUE.place("num-heads-fixed", "EncoderBlock(!num_heads", "EncoderBlock(")
CATALOGUE.place("d-ff-ignored", "EncoderBlock(!d_ff")
CATALOGUE.place("layers-too-many", "init:range", "init:num_layers")
CATALOGUE.place("num-layers-fixed", "init:range", "init:layers=")
CATALOGUE.place("learned-positions", "positional_encoding=")
CATALOGUE.place("positions-arguments-exchanged", "positional_encoding=")
CATALOGUE.place("block-arguments-exchanged", "EncoderBlock(")
CATALOGUE.place("embedding-rows-wrong", "embedding=")
CATALOGUE.place("pad-id-fixed", "padding_mask(!pad_id", "compare")
CATALOGUE.place("mask-kept-between-calls", "hasattr", "forward:pad_mask=", "forward:padding_mask")
CATALOGUE.place("mask-inverted", "is_floating_point")
CATALOGUE.place("result-kept-between-calls", *KEPT)
CATALOGUE.place("embedding-not-trained", "requires_grad_", "requires_grad", "detach", "data", "no_grad")
CATALOGUE.place("parameters-frozen", "requires_grad_", "requires_grad", "no_grad")
CATALOGUE.place(
    "parameter-names", "unlike:embedding,positional_encoding,layers,norm",
)  # fmt: skip
CATALOGUE.place("too-long-silent", "token_ids=")
CATALOGUE.place("padding-not-masked", "padding_mask(", "def forward")
CATALOGUE.place("final-norm-first", "forward:norm")
CATALOGUE.place("num-heads-ignored", "EncoderBlock(!num_heads", "EncoderBlock(")
CATALOGUE.place("layers-too-few", "init:range", "init:num_layers")
CATALOGUE.place("first-token-untrained", "embedding=")
CATALOGUE.place("positions-skip-padding", "cumsum")
