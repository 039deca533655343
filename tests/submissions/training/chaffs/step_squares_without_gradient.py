# fault: raises-exception
# line: 49
# what: clipping by hand, with a parameter that has no gradient
"""Training a language model, and decoding from it.

Next-token prediction with teacher forcing: Radford et al. 2018, "Improving Language Understanding by
Generative Pre-Training", section 3.1; clipping of the gradient's global norm: Pascanu et al. 2013, "On the
difficulty of training Recurrent Neural Networks", section 3.2.
"""

import torch
import torch.nn.functional as F
from torch import nn


def next_token_targets(token_ids: torch.Tensor, pad_id: int = 0, ignore_index: int = -100) -> torch.Tensor:
    """Position t holds token t + 1, or ``ignore_index`` where there is none: int64 (B, S)."""
    targets = torch.full_like(token_ids, ignore_index, dtype=torch.long)  # (B, S)
    following = token_ids[:, 1:].long()  # (B, S - 1)
    targets[:, :-1] = following.masked_fill(following == pad_id, ignore_index)
    return targets


def sequence_loss(logits: torch.Tensor, targets: torch.Tensor, ignore_index: int = -100) -> torch.Tensor:
    """Mean cross-entropy of ``logits`` (B, S, V) over the ``targets`` (B, S) that count; 0 when none does."""
    total = F.cross_entropy(
        logits.flatten(0, 1),  # (B*S, V)
        targets.flatten(),  # (B*S,)
        ignore_index=ignore_index,
        reduction="sum",
    )
    counted = (targets != ignore_index).sum()
    return total / counted.clamp(min=1)  # a mean over nothing would be 0 / 0


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    token_ids: torch.Tensor,
    targets: torch.Tensor,
    max_grad_norm: float | None = None,
) -> float:
    """One step of the optimizer on ``token_ids`` (B, S); returns the loss before it."""
    model.train()
    optimizer.zero_grad()
    loss = sequence_loss(model(token_ids), targets)
    loss.backward()
    if max_grad_norm is not None:
        norm = torch.sqrt(sum((p.grad**2).sum() for p in model.parameters()))
        if norm > max_grad_norm:
            for p in model.parameters():
                p.grad *= max_grad_norm / norm
    optimizer.step()
    return loss.item()


@torch.no_grad()
def greedy_decode(
    model: nn.Module, prompt: torch.Tensor, max_new_tokens: int, eos_id: int | None = None
) -> torch.Tensor:
    """Continue ``prompt`` (B, P) by the likeliest token, again and again: (B, P + n)."""
    was_training = model.training
    model.eval()
    token_ids = prompt  # (B, P)
    ended = torch.zeros(prompt.size(0), dtype=torch.bool, device=prompt.device)  # (B,)
    for _ in range(max_new_tokens):
        logits = model(token_ids)[:, -1]  # (B, V), of the last position alone
        next_ids = logits.argmax(dim=-1, keepdim=True)  # (B, 1)
        token_ids = torch.cat([token_ids, next_ids], dim=1)  # (B, P + 1), (B, P + 2), ...
        if eos_id is not None:
            ended |= next_ids.squeeze(1) == eos_id
            if ended.all():
                break
    model.train(was_training)
    return token_ids

