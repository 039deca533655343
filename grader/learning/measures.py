"""Measurements on the trusted side: of logits, losses and answers that came through the wall."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from grader.learning.tasks import EOS, FIRST, IGNORE, PAD, SEP, Task

__all__ = [
    "cross_entropy",
    "forced",
    "other_losses",
    "right_answers",
    "shown",
    "targets_are",
]


def cross_entropy(logits: Tensor, targets: Tensor) -> float:
    """The mean over the targets that count."""
    if not bool((targets != IGNORE).any()):
        return 0.0
    return float(nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORE))


def other_losses(logits: Tensor, targets: Tensor) -> Iterator[tuple[str, float]]:
    """What else people compute instead, by the id of the finding."""
    V = logits.shape[-1]
    flat, goal = logits.flatten(0, 1), targets.flatten()
    counted = goal != IGNORE
    right = nn.functional.cross_entropy(flat, goal, ignore_index=IGNORE)
    yield "loss-of-softmax", cross_entropy(logits.softmax(-1), targets)
    yield "loss-summed", float(right * counted.sum())
    yield "loss-over-everything", float(right * counted.sum() / counted.numel())
    for axis in (0, 1):
        yield "loss-wrong-axis", _over(logits, targets, axis)
    mixed = logits.reshape(logits.shape[0], V, -1)  # the numbers in another order, not another axis
    yield "loss-wrong-axis", float(nn.functional.cross_entropy(mixed, targets, ignore_index=IGNORE))
    yield "loss-counts-ignored", float(nn.functional.cross_entropy(flat, goal.clamp(min=0)))
    rows = [
        nn.functional.cross_entropy(a, b, ignore_index=IGNORE)
        for a, b in zip(logits, targets)
        if (b != IGNORE).any()
    ]
    yield "loss-by-rows", float(torch.stack(rows).mean())


def _over(logits: Tensor, targets: Tensor, axis: int) -> float:
    """The softmax over another axis than that of the classes."""
    logs = logits.log_softmax(axis).flatten(0, 1)
    return float(nn.functional.nll_loss(logs, targets.flatten(), ignore_index=IGNORE))


def targets_are(found: Tensor, tokens: Tensor, right: Tensor) -> str:
    """In which way targets are wrong: ``right``, ``unshifted``, ``rolled``, ``padding``, ``backwards`` or
    ``other``."""
    if torch.equal(found, right):
        return "right"
    real = tokens != PAD
    inner = right != IGNORE
    if torch.equal(found[inner], tokens[inner]):
        return "unshifted"
    if torch.equal(found[:, 1:][real[:, 1:]], tokens[:, :-1][real[:, 1:]]):
        return "backwards"
    if torch.equal(found[inner], right[inner]):
        last = found[:, -1] != IGNORE
        if bool((last & (found[:, -1] == tokens[:, 0])).any()):
            return "rolled"
        return "padding"
    return "other"


def right_answers(said: Tensor, whole: Tensor, task: Task) -> Tensor:
    """(B,): which sequences are right from the first token of the answer to the last; the prompt too."""
    if said.shape[1] < task.length:
        said = nn.functional.pad(said, (0, task.length - said.shape[1]), value=-1)
    return (said == whole).all(dim=1)


def forced(logits: Tensor, whole: Tensor, targets: Tensor) -> tuple[float, float]:
    """Loss, and share of right next tokens, where the right ones before are given."""
    counted = targets != IGNORE
    best = logits.nan_to_num(nan=-torch.inf).argmax(-1)
    return cross_entropy(logits, targets), float((best == targets)[counted].double().mean())


def shown(tokens: Tensor, task: Task) -> tuple[str, ...]:
    """Tokens as words: letters, or the numbers of a progression."""
    words = {PAD: "_", SEP: "|", EOS: "."}
    numbers = task.id == "progressions"
    return tuple(
        words[t]
        if t in words
        else str(t - FIRST)
        if numbers
        else chr(ord("a") + t - FIRST)
        if FIRST <= t < task.vocabulary
        else "?"
        for t in tokens.tolist()
    )
