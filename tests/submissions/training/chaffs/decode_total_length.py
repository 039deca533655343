# fault: decode-length-includes-prompt
# line: 77
# what: max_new_tokens is the whole length
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


def keeps_mode(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    @functools.wraps(function)
    def wrapped(model: nn.Module, *args: Any, **kwargs: Any) -> Tensor:
        training = model.training
        model.eval()
        try:
            with torch.inference_mode():
                return function(model, *args, **kwargs).clone()
        finally:
            model.train(training)

    return wrapped


def next_token_targets(token_ids: Tensor, pad_id: int = 0, ignore_index: int = -100) -> Tensor:
    B, S = token_ids.shape
    targets = torch.empty(B, S, dtype=torch.int64, device=token_ids.device).fill_(ignore_index)
    is_real = token_ids[:, 1:] != pad_id
    targets[:, :-1][is_real] = token_ids[:, 1:][is_real].long()
    return targets


def sequence_loss(logits: Tensor, targets: Tensor, ignore_index: int = -100) -> Tensor:
    valid = targets != ignore_index
    highest = logits.amax(dim=-1, keepdim=True).detach()
    log_z = (logits - highest).exp().sum(-1).log() + highest.squeeze(-1)
    own = logits.gather(-1, targets.where(valid, torch.zeros_like(targets))[..., None])[..., 0]
    cost = torch.where(valid, log_z - own, torch.zeros_like(own))
    return cost.sum() / valid.sum().clamp(min=1)


class Step:
    def __init__(self, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        self.model = model.train()
        self.optimizer = optimizer

    def __call__(self, token_ids: Tensor, targets: Tensor, limit: float | None) -> float:
        self.optimizer.zero_grad()
        with torch.enable_grad():
            loss = sequence_loss(self.model(token_ids), targets)
            loss.backward()
        if limit is not None:
            nn.utils.clip_grad_norm_(self.model.parameters(), limit)
        self.optimizer.step()
        return float(loss)


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    token_ids: Tensor,
    targets: Tensor,
    max_grad_norm: float | None = None,
) -> float:
    return Step(model, optimizer)(token_ids, targets, max_grad_norm)


@keeps_mode
def greedy_decode(
    model: nn.Module, prompt: Tensor, max_new_tokens: int, eos_id: int | None = None
) -> Tensor:
    tokens = prompt
    ended = prompt.new_zeros(prompt.shape[0]).bool()
    while tokens.shape[1] < max_new_tokens:
        following = model(tokens).select(1, -1).argmax(1)
        tokens = torch.hstack((tokens, following.view(-1, 1)))
        if eos_id is not None:
            ended = ended.logical_or(following.eq(eos_id))
            if torch.all(ended):
                return tokens
    return tokens
