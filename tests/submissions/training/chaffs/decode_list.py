# fault: decode-returns-list
# line: 71
# what: a list of lists
import math

import torch


def next_token_targets(token_ids, pad_id=0, ignore_index=-100):
    rows = []
    for row in token_ids.tolist():
        wanted = []
        for t in range(len(row)):
            if t + 1 < len(row) and row[t + 1] != pad_id:
                wanted.append(row[t + 1])
            else:
                wanted.append(ignore_index)
        rows.append(wanted)
    return torch.tensor(rows, dtype=torch.int64, device=token_ids.device)


def sequence_loss(logits, targets, ignore_index=-100):
    total = logits.sum() * 0.0
    count = 0
    for b in range(logits.shape[0]):
        for t in range(logits.shape[1]):
            y = int(targets[b, t])
            if y == ignore_index:
                continue
            total = total + torch.logsumexp(logits[b, t], dim=0) - logits[b, t, y]
            count += 1
    return total / max(count, 1)


def train_step(model, optimizer, token_ids, targets, max_grad_norm=None):
    model.train()
    for p in model.parameters():
        p.grad = None
    loss = sequence_loss(model(token_ids), targets)
    loss.backward()
    if max_grad_norm is not None:
        squares = 0.0
        for p in model.parameters():
            if p.grad is not None:
                squares += float((p.grad**2).sum())
        norm = math.sqrt(squares)
        if norm > max_grad_norm:
            for p in model.parameters():
                if p.grad is not None:
                    p.grad.mul_(max_grad_norm / norm)
    optimizer.step()
    return loss.item()


def greedy_decode(model, prompt, max_new_tokens, eos_id=None):
    before = model.training
    model.eval()
    rows = prompt.tolist()
    ended = [False] * len(rows)
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits = model(torch.tensor(rows, device=prompt.device))
            for b, row in enumerate(rows):
                token = int(torch.argmax(logits[b, -1]))
                row.append(token)
                if token == eos_id:
                    ended[b] = True
            if all(ended):
                break
    model.train(before)
    return rows
