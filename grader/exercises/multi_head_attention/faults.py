"""The mistakes people make in multi-head attention: those of attention first, then its own."""

from __future__ import annotations

from grader.exercises.multi_head_attention import (
    faults_heads,
    faults_masks,
    faults_module,
    faults_projections,
)
from grader.exercises.multi_head_attention.faults_attention import CATALOGUE

__all__ = ["CATALOGUE"]

for _part in (faults_projections, faults_heads, faults_masks, faults_module):
    _part.register(CATALOGUE)
CATALOGUE.by_check("dropout-drawn-twice")
