"""The mistakes people make in the encoder block; the modules imported here register them."""

from __future__ import annotations

from grader.exercises.encoder_block import ffn_faults, flow_faults, norm_faults
from grader.exercises.encoder_block.catalogue import CATALOGUE

__all__ = ["CATALOGUE"]

CATALOGUE.by_check("d-ff-ignored", "dropout-rate-ignored", "parameter-names")

_REGISTERED = (ffn_faults, norm_faults, flow_faults)
