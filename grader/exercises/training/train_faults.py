"""The mistakes people make in `train_step`: order, mode, clipping, and what is handed back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.exercises.training.lesson import global_norm, train
from grader.exercises.training.loss_faults import CATALOGUE

__all__ = ["CATALOGUE"]


def decides(step: str, decision: Any, id: str, *, absent: bool = False) -> None:
    """Registers a mistake that decides otherwise."""
    CATALOGUE.replaces(train, step, id=id, absent=absent)(lambda s: decision)


# -- order ------------------------------------------------------------------------------------------

decides("cleared", "never", "gradients-not-cleared")
decides("cleared", "last", "gradients-cleared-too-late")
decides("cleared", "before the step", "gradients-cleared-before-step")
decides("backward", 0, "backward-missing")
decides("backward", 2, "backward-twice")
decides("stepped", "never", "step-missing")
decides("stepped", "before backward", "step-before-backward")
decides("stepped", "twice", "step-twice")
decides("stepped", "by hand", "optimizer-bypassed")

# -- mode -------------------------------------------------------------------------------------------

decides("mode", "as it was", "train-mode-missing")
decides("mode", "eval", "trains-in-eval-mode")
decides("mode", "flag", "train-mode-by-flag")

# -- what is compared -------------------------------------------------------------------------------

decides("fed", "own targets", "train-targets-ignored")
decides("fed", "tokens", "trains-on-own-tokens")
decides("fed", "shifted again", "loss-shifts-again")

# -- clipping ---------------------------------------------------------------------------------------

Clip = Callable[[list[Tensor], float], list[Tensor]]


def _by_value(gradients: list[Tensor], most: float) -> list[Tensor]:
    return [g.clamp(-most, most) for g in gradients]


def _each(gradients: list[Tensor], most: float) -> list[Tensor]:
    return [g * (most / (g.norm() + 1e-6)).clamp(max=1.0) for g in gradients]


def _always(gradients: list[Tensor], most: float) -> list[Tensor]:
    return [g * (most / (global_norm(gradients) + 1e-6)) for g in gradients]


def _each_always(gradients: list[Tensor], most: float) -> list[Tensor]:
    return [g * (most / (g.norm() + 1e-6)) for g in gradients]


def _scaled(by: Callable[[list[Tensor], float], Tensor]) -> Clip:
    return lambda gradients, most: [g * by(gradients, most) for g in gradients]


def _norm(gradients: list[Tensor], order: float) -> Tensor:
    found: Tensor = torch.linalg.vector_norm(torch.cat([g.flatten() for g in gradients]), order)
    return found


def _of_order(order: float) -> Clip:
    return _scaled(lambda g, most: (most / (_norm(g, order) + 1e-6)).clamp(max=1.0))


def _with(clip: Clip, id: str) -> None:
    decides("clip", clip, id)


_with(_by_value, "clips-by-value")
_with(_each, "clips-each-parameter")
_with(_each_always, "clips-each-parameter")
_with(_always, "clip-scales-up")
for _order in (1.0, float("inf")):
    _with(_of_order(_order), "clip-norm-wrong")
_with(_scaled(lambda g, most: (most / (global_norm(g).square() + 1e-6)).clamp(max=1.0)), "clip-norm-wrong")
_with(
    _scaled(lambda g, most: (most / (torch.stack([x.norm() for x in g]).sum() + 1e-6)).clamp(max=1.0)),
    "clip-norm-wrong",
)
_with(
    _scaled(lambda g, most: (most / (torch.stack([x.norm() for x in g]).max() + 1e-6)).clamp(max=1.0)),
    "clip-norm-wrong",
)
_with(
    _scaled(lambda g, most: (most / (torch.stack([x.norm() for x in g]).mean() + 1e-6)).clamp(max=1.0)),
    "clip-norm-wrong",
)
_with(
    _scaled(lambda g, most: 1.0 / global_norm(g) if float(global_norm(g)) > most else torch.ones(())),
    "clip-to-one",
)
_with(_scaled(lambda g, most: (1.0 / (global_norm(g) + 1e-6)).clamp(max=1.0)), "clip-to-one")

decides("clipped", "never", "clip-missing", absent=True)
decides("clipped", "before backward", "clip-before-backward")
decides("clipped", "after the step", "clip-after-step")


def _always_to(norm: float) -> None:
    CATALOGUE.replaces(train, "limit", id="clips-unasked")(
        lambda s: norm if s.max_grad_norm is None else s.max_grad_norm
    )


for _limit in (1.0, 0.5, 5.0, 0.1):
    _always_to(_limit)

# -- what is handed back ----------------------------------------------------------------------------

decides("returned", "tensor", "loss-keeps-graph")
decides("returned", "plain tensor", "returns-loss-tensor")
decides("returned", "array", "returns-loss-tensor")
decides("returned", "none", "not-implemented")
decides("returned", "loss afterwards", "returns-loss-afterwards")
decides("returned", "total", "returns-summed-loss")
decides("kept", True, "graph-kept-alive")


# -- places -----------------------------------------------------------------------------------------

for _id, *_words in (
    ("gradients-not-cleared", "zero_grad", "backward", "own:backward"),
    ("gradients-cleared-too-late", "own:zero_grad"),
    ("gradients-cleared-before-step", "own:zero_grad"),
    ("backward-missing", "own:step", "own:loss"),
    ("backward-twice", "own:backward#2", "own:backward"),
    ("step-missing", "own:backward"),
    ("step-before-backward", "own:step"),
    ("step-twice", "own:step#2", "own:step"),
    ("optimizer-bypassed", "own:param_groups", "own:lr", "in-place", "own:grad"),
    ("train-mode-missing", "own:model(", "def"),
    ("trains-in-eval-mode", "own:eval", "own:train"),
    ("train-mode-by-flag", "own:training"),
    ("train-targets-ignored", "own:next_token_targets", "own:model("),
    ("trains-on-own-tokens", "own:sequence_loss", "own:cross_entropy"),
    ("clips-by-value", "own:clip_grad_value_", "own:clamp_", "own:clamp", "own:clip_"),
    ("clips-each-parameter", "own:clip_grad_norm_", "own:norm"),
    ("clip-scales-up", "own:norm", "own:max_grad_norm#2"),
    ("clip-norm-wrong", "own:clip_grad_norm_", "own:norm", "own:max_grad_norm#2"),
    ("clip-to-one", "own:clip_grad_norm_", "own:norm", "own:max_grad_norm#2"),
    ("clip-missing", "own:if max_grad_norm", "own:step"),
    ("clip-before-backward", "own:clip_grad_norm_", "own:max_grad_norm"),
    ("clip-after-step", "own:clip_grad_norm_", "own:max_grad_norm"),
    ("clips-unasked", "own:clip_grad_norm_", "own:max_grad_norm"),
    ("loss-keeps-graph", "return"),
    ("returns-loss-tensor", "return"),
    ("returns-loss-afterwards", "own:model(#2", "return"),
    ("returns-summed-loss", "return"),
    ("graph-kept-alive", "own:append", "own:global", "own:last_loss", "own:loss"),
):
    CATALOGUE.place(_id, *_words)
