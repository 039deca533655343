"""The models of the targets and of the loss (Radford et al. 2018, section 3.1)."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Model, State

__all__ = ["IGNORE", "ignored", "loss", "padding_id", "shifted", "targets"]

IGNORE = -100  # what F.cross_entropy leaves out by default

targets = Model("next_token_targets", ("token_ids", "pad_id", "ignore_index"))
loss = Model("sequence_loss", ("logits", "targets", "ignore_index"))


def padding_id(s: State) -> int:
    """The padding id that the call asks for."""
    return 0 if s.pad_id is None else int(s.pad_id)


def ignored(s: State) -> int:
    """The index that the call leaves out."""
    return IGNORE if s.ignore_index is None else int(s.ignore_index)


def shifted(token_ids: Tensor, by: int) -> Tensor:
    """Position t holds token t + by; 0 where there is none.  (B, S)"""
    found = torch.zeros_like(token_ids)
    length = token_ids.shape[1]
    if 0 <= by < length:
        found[:, : length - by] = token_ids[:, by:]
    elif -length < by < 0:
        found[:, -by:] = token_ids[:, :by]
    return found


# -- next_token_targets -----------------------------------------------------------------------------


@targets.step
def following(s: State) -> Tensor:
    return shifted(s.token_ids, 1)  # (B, S)


@targets.step
def ended(s: State) -> Tensor:
    """Where there is no next token."""
    found = torch.zeros_like(s.token_ids, dtype=torch.bool)
    found[:, -1:] = True
    return found


@targets.step
def hidden(s: State) -> Tensor:
    """Where the next token is padding."""
    found: Tensor = (s.following == padding_id(s)) & ~s.ended  # (B, S)
    return found


@targets.step
def filler(s: State) -> int:
    return ignored(s)


@targets.step
def filled(s: State) -> Tensor:
    found: Tensor = s.following.masked_fill(s.hidden | s.ended, s.filler)  # (B, S)
    return found


@targets.step
def result(s: State) -> Any:
    return s.filled.long()


# -- sequence_loss ----------------------------------------------------------------------------------


@loss.step
def scores(s: State) -> Tensor:
    found: Tensor = s.logits  # (B, S, V), raw
    return found


@loss.step
def counted(s: State) -> Tensor:
    """Which targets count."""
    found: Tensor = s.targets != ignored(s)  # (B, S)
    return found


@loss.step
def log_probs(s: State) -> Tensor:
    return torch.log_softmax(s.scores, dim=-1)  # (B, S, V)


@loss.step
def picked(s: State) -> Tensor:
    """What each target costs."""
    classes = s.targets.masked_fill(~s.counted, 0)
    if bool(((classes < 0) | (classes >= s.log_probs.shape[-1])).any()):
        raise IndexError("Target is out of bounds.")
    found: Tensor = -s.log_probs.gather(-1, classes.unsqueeze(-1)).squeeze(-1)  # (B, S)
    return found


@loss.step
def total(s: State) -> Tensor:
    found: Tensor = s.picked.masked_fill(~s.counted, 0.0).sum()
    return found


@loss.step
def divisor(s: State) -> Tensor:
    found: Tensor = s.counted.sum().clamp(min=1)
    return found


def loss_result(s: State) -> Any:
    return s.total / s.divisor


loss.steps["result"] = loss_result
