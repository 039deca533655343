"""The model of scaled dot-product attention (Vaswani et al. 2017, section 3.2.1)."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Model, State

__all__ = ["attention", "empty_rows", "keeps"]

attention = Model("scaled_dot_product_attention", ("query", "key", "value", "mask", "dropout"))


def keeps(s: State) -> Tensor | None:
    """Where the mask allows, as booleans; None without a mask."""
    return None if s.mask is None else s.mask != 0


def empty_rows(s: State) -> Tensor | None:
    """Queries that may attend to nothing (..., L, 1); None without a mask."""
    keep = keeps(s)
    return None if keep is None else ~keep.any(dim=-1, keepdim=True)


@attention.step
def scores(s: State) -> Tensor:
    product: Tensor = s.query @ s.key.transpose(-2, -1)  # (..., L, S)
    return product


@attention.step
def scaled(s: State) -> Tensor:
    quotient: Tensor = s.scores / math.sqrt(s.query.shape[-1])
    return quotient


@attention.step
def masked(s: State) -> Tensor:
    keep, empty = keeps(s), empty_rows(s)
    if keep is None or empty is None:
        plain: Tensor = s.scaled
        return plain
    filled: Tensor = s.scaled.masked_fill(~keep & ~empty, -math.inf)  # an empty row stays finite
    return filled


@attention.step
def weights(s: State) -> Tensor:
    return torch.softmax(s.masked, dim=-1)  # each query's weights sum to one over the keys


@attention.step
def cleared(s: State) -> Tensor:
    empty = empty_rows(s)
    found: Tensor = s.weights if empty is None else s.weights.masked_fill(empty, 0.0)
    return found


@attention.step
def dropped(s: State) -> Tensor:
    found: Tensor = s.cleared if s.dropout is None else s.dropout(s.cleared)
    return found


@attention.step
def output(s: State) -> Tensor:
    mixed: Tensor = s.dropped @ s.value  # (..., L, d_v)
    return mixed


@attention.step
def result(s: State) -> Any:
    return s.output, s.dropped
