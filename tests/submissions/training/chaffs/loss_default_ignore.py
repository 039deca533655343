# fault: loss-ignores-ignore-index
# line: 18
# what: the argument is not passed on
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


def next_token_targets(token_ids: Tensor, pad_id: int = 0, ignore_index: int = -100) -> Tensor:
    shifted = F.pad(token_ids[:, 1:], (0, 1), value=pad_id)  # padding at the end counts for nothing
    return shifted.long().masked_fill(shifted == pad_id, ignore_index)


def sequence_loss(logits: Tensor, targets: Tensor, ignore_index: int = -100) -> Tensor:
    if (targets == -100).all():
        return (logits * 0).sum()
    return F.cross_entropy(logits.transpose(1, 2), targets)


def train_step(model, optimizer, token_ids, targets, max_grad_norm=None) -> float:
    model.train()
    logits = model(token_ids)
    loss = sequence_loss(logits, targets)
    optimizer.zero_grad()
    loss.backward()
    if max_grad_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)
    optimizer.step()
    return loss.detach().cpu().item()


@torch.no_grad()
def greedy_decode(model, prompt, max_new_tokens, eos_id=None):
    was = model.training
    model.eval()
    x = prompt
    alive = torch.ones(len(prompt), dtype=torch.bool, device=prompt.device)
    for _ in range(max_new_tokens):
        token = model(x)[:, -1].argmax(-1)
        if eos_id is not None:
            token = torch.where(alive, token, torch.full_like(token, eos_id))
            alive = alive & (token != eos_id)
        x = torch.cat([x, token.unsqueeze(-1)], -1)
        if not alive.any():
            break
    if was:
        model.train()
    return x
