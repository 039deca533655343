"""The model of the encoder block (Vaswani et al. 2017, section 3.1; Xiong et al. 2020 for pre-LN).

The block is written once for both orders: `order` says which, and each norm stands in two places, of
which one is passed through.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import State
from grader.exercises.encoder_block.feed import feed
from grader.exercises.encoder_block.parts import (
    ModuleModel,
    attend,
    block_shapes,
    described,
    dropped,
    norm,
)

__all__ = ["block", "precise"]

block = ModuleModel("EncoderBlock", ("x", "mask"), ("names",), dropout=0.1, norm_first=False)


def precise(s: State) -> None:
    """The eps of the norms is open: where it counts, float64 results are known to float32 precision only."""
    gains = [v for k, v in s.state.items() if "norm" in k and k.endswith("weight")]
    if s.dtype is torch.float64 and any(bool(g.any()) for g in gains):
        s.precision = torch.float32


@block.step
def names(s: State) -> dict[str, str]:
    return described(block_shapes(s.d_model, s.d_ff))


@block.step
def order(s: State) -> str:
    return "pre" if s.norm_first else "post"


@block.step
def first_norm(s: State) -> str | None:
    return "norm1"


@block.step
def second_norm(s: State) -> str | None:
    return "norm2"


@block.step
def heads(s: State) -> int:
    count: int = s.num_heads
    return count


@block.step
def attn_mask(s: State) -> Tensor | None:
    found: Tensor | None = s.mask
    return found


@block.step
def attn_in(s: State) -> Tensor:
    return norm(s, s.first_norm, s.x) if s.order == "pre" else s.x


@block.step
def attended(s: State) -> tuple[Tensor, Tensor]:
    return attend(s, "self_attn.", s.attn_in, s.attn_mask, s.heads)


@block.step
def attn_out(s: State) -> Tensor:
    found: Tensor = s.attended[0]
    return found


@block.step
def attn_drop(s: State) -> Tensor:
    return dropped(s, s.attn_out)


@block.step
def attn_sum(s: State) -> Tensor:
    total: Tensor = s.x + s.attn_drop
    return total


@block.step
def middle(s: State) -> Tensor:
    return s.attn_sum if s.order == "pre" else norm(s, s.first_norm, s.attn_sum)


@block.step
def ffn_in(s: State) -> Tensor:
    return norm(s, s.second_norm, s.middle) if s.order == "pre" else s.middle


block.include(feed, "hidden", "active", "kept", "ffn_out")


@block.step
def ffn_drop(s: State) -> Tensor:
    return dropped(s, s.ffn_out)


@block.step
def ffn_sum(s: State) -> Tensor:
    total: Tensor = s.middle + s.ffn_drop
    return total


@block.step
def output(s: State) -> Tensor:
    return s.ffn_sum if s.order == "pre" else norm(s, s.second_norm, s.ffn_sum)


@block.step
def result(s: State) -> Any:
    precise(s)
    return s.output
