"""The model of the position-wise feed-forward network (Vaswani et al. 2017, section 3.3)."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import State
from grader.exercises.encoder_block.parts import ModuleModel, described, dropped, feed_shapes, linear

__all__ = ["feed", "inner"]

feed = ModuleModel("FeedForward", ("x",), ("names",), dropout=0.0)


def inner(s: State) -> str:
    """Where the two linear maps are: in the network itself, or in the block's `feed_forward`."""
    return "" if s.probe.target == feed.target else "feed_forward."


@feed.step
def names(s: State) -> dict[str, str]:
    return described(feed_shapes(s.d_model, s.d_ff))


@feed.step
def ffn_in(s: State) -> Tensor:
    found: Tensor = s.x
    return found


@feed.step
def hidden(s: State) -> Tensor:
    return linear(s, f"{inner(s)}linear1", s.ffn_in)  # (B, S, d_ff)


@feed.step
def active(s: State) -> Tensor:
    return torch.relu(s.hidden)


@feed.step
def kept(s: State) -> Tensor:
    return dropped(s, s.active)


@feed.step
def ffn_out(s: State) -> Tensor:
    return linear(s, f"{inner(s)}linear2", s.kept)  # (B, S, d_model)


@feed.step
def result(s: State) -> Any:
    return s.ffn_out
