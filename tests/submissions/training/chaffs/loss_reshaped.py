# fault: logits-reshaped-not-transposed
# line: 21
# what: reshape in place of a transposition
import contextlib

import torch
import torch.nn.functional as F


def next_token_targets(token_ids, pad_id=0, ignore_index=-100):
    targets = token_ids.clone().long()
    targets[:, :-1] = token_ids[:, 1:]
    targets[:, -1] = pad_id
    targets[targets == pad_id] = ignore_index
    return targets


def sequence_loss(logits, targets, ignore_index=-100):
    counted = (targets != ignore_index)
    per_token = F.cross_entropy(
        logits.reshape(logits.size(0), logits.size(2), logits.size(1)), targets, ignore_index=ignore_index, reduction="none"
    )
    return (per_token * counted).sum() / (counted.sum() + (counted.sum() == 0))


def train_step(model, optimizer, token_ids, targets, max_grad_norm=None):
    model.train()
    optimizer.zero_grad()
    loss = sequence_loss(model(token_ids), targets)
    loss.backward(retain_graph=True)
    if max_grad_norm is not None:
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm, norm_type=2.0)
    optimizer.step()
    optimizer.zero_grad()
    value = loss.item()
    del loss
    return value


@contextlib.contextmanager
def evaluating(model):
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield model
    finally:
        model.train(mode)


def greedy_decode(model, prompt, max_new_tokens, eos_id=None):
    B, P = prompt.shape
    rows = [row for row in prompt]
    running = list(range(B))
    with evaluating(model):
        for step in range(max_new_tokens):
            logits = model(torch.stack([rows[b] for b in running]))
            chosen = logits[:, -1].argmax(-1)
            for place, b in enumerate(running):
                rows[b] = torch.cat([rows[b], chosen[place].reshape(1)])
            if eos_id is not None:
                running = [b for b in running if int(rows[b][-1]) != eos_id]
            if not running:
                break
    width = max(len(row) for row in rows)
    out = prompt.new_zeros(B, width)
    for b, row in enumerate(rows):
        out[b, : len(row)] = row
    return out
