# fault: global-state-changed
# line: 42
# what: gradients stay switched off
import torch
from torch import nn


def next_token_targets(token_ids, pad_id=0, ignore_index=-100):
    targets = token_ids.new_full(token_ids.shape, ignore_index, dtype=torch.int64)
    for t in range(token_ids.size(1) - 1):
        column = token_ids[:, t + 1]
        targets[:, t] = torch.where(column == pad_id, ignore_index, column)
    return targets


def sequence_loss(logits, targets, ignore_index=-100):
    criterion = nn.CrossEntropyLoss(ignore_index=ignore_index, reduction="sum")
    total = criterion(logits.flatten(0, -2), targets.flatten())
    return total / max(1, int((targets != ignore_index).sum()))


def train_step(model, optimizer, token_ids, targets, max_grad_norm=None):
    model.train()
    said = []

    def closure():
        optimizer.zero_grad()
        loss = sequence_loss(model(token_ids), targets)
        loss.backward()
        if max_grad_norm is not None:
            nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)
        said.append(loss.item())
        return loss

    optimizer.step(closure)
    return said[0]


def greedy_decode(model, prompt, max_new_tokens, eos_id=None):
    mode, grads = model.training, torch.is_grad_enabled()
    model.eval()
    torch.set_grad_enabled(False)
    try:
        tokens = prompt
        for _ in range(max_new_tokens):
            best = model(tokens)[:, -1].topk(1, dim=-1).indices
            tokens = torch.cat([tokens, best], dim=-1)
            if eos_id is not None and _all_ended(tokens[:, prompt.shape[1]:], eos_id):
                break
        return tokens
    finally:
        pass
        model.train(mode)


def _all_ended(new, eos_id):
    return bool((new == eos_id).any(dim=1).all())
