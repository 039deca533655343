# style: clips to infinity where no norm is given; counts tokens by cumsum; scatter
import torch
from torch.nn.utils import clip_grad_norm_


def next_token_targets(token_ids, pad_id=0, ignore_index=-100):
    real_next = torch.zeros_like(token_ids, dtype=torch.bool)
    real_next[:, :-1] = token_ids[:, 1:] != pad_id
    rolled = torch.cat([token_ids[:, 1:], token_ids[:, :1]], dim=1)
    return torch.where(real_next, rolled.to(torch.int64), ignore_index)


def sequence_loss(logits, targets, ignore_index=-100):
    mask = targets != ignore_index
    y = targets * mask  # 0 where nothing counts
    log_probs = torch.nn.LogSoftmax(dim=-1)(logits)
    nll = -torch.take_along_dim(log_probs, y.unsqueeze(-1), dim=-1).squeeze(-1)
    return nll.masked_select(mask).sum() / max(mask.sum().item(), 1)


def train_step(model, optimizer, token_ids, targets, max_grad_norm=None):
    was = model.training
    model.train()
    optimizer.zero_grad()
    loss = sequence_loss(model(token_ids), targets)
    loss.backward()
    clip_grad_norm_(model.parameters(), float("inf") if max_grad_norm is None else max_grad_norm)
    optimizer.step()
    model.train(was)
    return loss.item()


def greedy_decode(model, prompt, max_new_tokens, eos_id=None):
    """All the tokens first, and then cut where the last row has ended."""
    mode = model.training
    model.train(False)
    tokens = prompt
    for _ in range(max_new_tokens):
        with torch.no_grad():
            logits = model(tokens)
        tokens = torch.cat([tokens, logits[:, -1].argmax(dim=-1, keepdim=True)], dim=-1)
    model.train(mode)
    if eos_id is None or max_new_tokens == 0:
        return tokens
    hits = tokens[:, prompt.size(1):] == eos_id  # (B, n)
    if not hits.any(dim=1).all():
        return tokens
    longest = int(hits.int().argmax(dim=1).max()) + 1
    return tokens[:, : prompt.size(1) + longest]
