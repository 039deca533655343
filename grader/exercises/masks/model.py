"""The models of the four mask functions (Vaswani et al. 2017, section 3.2.3).

Each function has a model of its own, in three steps: which positions (the meaning), how they lie (the
axes), and what is returned (the dtype), so that mistakes of different kinds can stand together.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Model, State

__all__ = ["apply", "causal", "combine", "distances", "padding"]

padding = Model("padding_mask", ("token_ids", "pad_id"))
causal = Model("causal_mask", ("size", "device"))
combine = Model("combine_masks", ("padding", "causal"))
apply = Model("apply_mask", ("scores", "mask"))


# -- padding_mask -----------------------------------------------------------------------------------


@padding.step
def real(s: State) -> Tensor:
    found: Tensor = s.token_ids != (s.pad_id or 0)  # (B, S), True at real tokens
    return found


@padding.step
def placed(s: State) -> Tensor:
    found: Tensor = s.real[:, None, None, :]  # (B, 1, 1, S): the tokens are the keys
    return found


@padding.step
def result(s: State) -> Any:
    return s.placed


# -- causal_mask ------------------------------------------------------------------------------------


def distances(size: int) -> Tensor:
    """How far each query lies behind each key: (size, size), negative where the key is ahead."""
    position = torch.arange(size)
    return position[:, None] - position[None, :]


@causal.step
def allowed(s: State) -> Tensor:
    return distances(s.size) >= 0  # (S, S)


@causal.step
def shaped(s: State) -> Tensor:
    found: Tensor = s.allowed
    return found


def causal_result(s: State) -> Any:
    return s.shaped


causal.steps["result"] = causal_result


# -- combine_masks ----------------------------------------------------------------------------------


@combine.step
def both(s: State) -> Tensor:
    found: Tensor = (s.padding != 0) & (s.causal != 0)  # (B, 1, S, S)
    return found


@combine.step
def joined(s: State) -> Tensor:
    found: Tensor = s.both
    return found


def combine_result(s: State) -> Any:
    return s.joined


combine.steps["result"] = combine_result


# -- apply_mask -------------------------------------------------------------------------------------


@apply.step
def forbidden(s: State) -> Tensor:
    found: Tensor = s.mask == 0
    return found


@apply.step
def filled(s: State) -> Tensor:
    found: Tensor = s.scores.masked_fill(s.forbidden, -math.inf)  # (..., L, S), a new tensor
    return found


def apply_result(s: State) -> Any:
    return s.filled


apply.steps["result"] = apply_result
