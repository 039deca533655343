"""What the steps of training and decoding are called, and the ways in which they may be taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Model, State
from grader.diagnosis.route import Route, StepName, named
from grader.exercises.training.decoding import decode
from grader.exercises.training.lesson import train, twin
from grader.exercises.training.model import ignored, loss, padding_id, targets
from grader.submission.asking import Each

__all__ = ["ROUTES"]

TARGETS: Mapping[str, StepName] = {
    "ahead": named("the tokens that follow", "后面的词元", "B T"),
    "pads": named("where the next token is padding", "下一个词元是填充的位置", "B T"),
    "following": named("the tokens that follow", "后面的词元", "B T"),
    "ended": named("where nothing follows", "后面没有词元的位置", "B T"),
    "hidden": named("where the next token is padding", "下一个词元是填充的位置", "B T"),
    "filled": named("the targets", "目标", "B T"),
}
LOSS: Mapping[str, StepName] = {
    "counted": named("which targets count", "哪些目标计入", "B T"),
    "scores": named("the logits", "logits", "B T"),
    "log_probs": named("the log-probabilities of the classes", "各类别的对数概率"),
    "picked": named("what each target would cost", "每个目标（若计入）的代价", "B T"),
    "costs": named(
        "what each target costs, 0 where it does not count", "每个目标的代价（不计入处为 0）", "B T"
    ),
    "total": named("the sum of the costs", "代价的总和"),
    "divisor": named("the number of targets that count", "计入的目标个数"),
}
TRAIN: Mapping[str, StepName] = {
    "logits": named("the logits of the first step", "第一步的 logits"),
    "value": named("the loss of the first step", "第一步的损失"),
}
DECODE: Mapping[str, StepName] = {
    "logits": named("the logits of the prompt", "提示的 logits"),
    "last": named("the logits of the last position", "最后一个位置的 logits"),
    "first": named("the first new token of each row", "每行的第一个新词元", "B"),
}

by_slice = Model(targets.target, targets.inputs)
by_target = Model(loss.target, loss.inputs)
by_step = Model(train.target, train.inputs)
by_token = Model(decode.target, decode.inputs)


# -- next_token_targets -----------------------------------------------------------------------------


@by_slice.step
def ahead(s: State) -> Tensor:
    found: Tensor = s.token_ids[:, 1:]  # (B, S - 1)
    return found


@by_slice.step
def pads(s: State) -> Tensor:
    found: Tensor = s.ahead == padding_id(s)  # (B, S - 1)
    return found


by_slice.include(targets)


# -- sequence_loss ----------------------------------------------------------------------------------


@by_target.step
def counted(s: State) -> Tensor:
    found: Tensor = s.targets != ignored(s)  # (B, S)
    return found


by_target.include(loss, "scores", "log_probs", "picked")


@by_target.step
def costs(s: State) -> Tensor:
    found: Tensor = s.picked.masked_fill(~s.counted, 0.0)  # (B, S)
    return found


by_target.include(loss, "total", "divisor", "result")


# -- train_step and greedy_decode -------------------------------------------------------------------


def _first(value: Any) -> Any:
    return value.items[0] if isinstance(value, Each) else value


@by_step.step
def logits(s: State) -> Tensor:
    found: Tensor = twin(s).train()(_first(s.token_ids))  # (B, S, V)
    return found


@by_step.step
def value(s: State) -> Tensor:
    wanted = _first(s.targets)
    right = torch.nn.functional.cross_entropy(s.logits.flatten(0, 1), wanted.flatten(), reduction="sum")
    found: Tensor = right / (wanted != -100).sum().clamp(min=1)
    return found


by_step.include(train)


def logits_of_prompt(s: State) -> Tensor:
    found: Tensor = twin(s).train(False)(s.prompt)  # (B, P, V)
    return found


by_token.steps["logits"] = logits_of_prompt


@by_token.step
def last(s: State) -> Tensor:
    found: Tensor = s.logits[:, -1]  # (B, V)
    return found


@by_token.step
def first(s: State) -> Tensor:
    found: Tensor = s.last.argmax(dim=-1)  # (B,)
    return found


by_token.include(decode)

ROUTES: Mapping[str, tuple[Route, ...]] = {
    targets.target: (Route(by_slice, TARGETS, lenient=False),),
    loss.target: (Route(by_target, LOSS, lenient=False),),
    train.target: (Route(by_step, TRAIN, lenient=False),),
    decode.target: (Route(by_token, DECODE, lenient=False),),
}
