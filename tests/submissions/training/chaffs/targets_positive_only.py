# fault: target-ignores-pad-id
# line: 15
# what: everything not positive is padding
import torch
from torch import nn
from torch.nn import functional as F

HISTORY = []


def next_token_targets(token_ids, pad_id=0, ignore_index=-100):
    assert token_ids.dim() == 2, "token_ids must be (B, S)"
    out = torch.zeros(token_ids.shape, dtype=torch.long, device=token_ids.device) + ignore_index
    out[:, 0:-1] = token_ids[:, 1:]
    return torch.where(out <= 0, torch.full_like(out, ignore_index), out)


def sequence_loss(logits, targets, ignore_index=-100):
    B, S, V = logits.shape
    counted = targets != ignore_index
    print("counted", int(counted.sum()), "of", B * S)
    weights = counted.to(logits.dtype) / counted.sum().clamp(min=1)
    costs = F.cross_entropy(
        logits.contiguous().view(B * S, V),
        targets.contiguous().view(B * S),
        ignore_index=ignore_index,
        reduction="none",
    )
    return costs @ weights.reshape(-1)


def train_step(model, optimizer, token_ids, targets, max_grad_norm=None):
    model.train()
    optimizer.zero_grad()
    out = model(token_ids)
    loss = sequence_loss(out, targets)
    loss.backward()
    norm = None
    if max_grad_norm is not None:
        norm = nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm).item()
    optimizer.step()
    HISTORY.append((loss.item(), norm))
    print(f"loss {loss:.3f}")
    return HISTORY[-1][0]


@torch.no_grad()
def greedy_decode(model, prompt, max_new_tokens, eos_id=None):
    mode = model.training
    model.eval()
    B = prompt.shape[0]
    lengths = [None] * B
    tokens = prompt
    for n in range(max_new_tokens):
        logits = model(tokens)
        probabilities = torch.softmax(logits[:, -1], dim=-1)
        nxt = probabilities.argmax(dim=-1)
        tokens = torch.cat([tokens, nxt.reshape(B, 1)], dim=1)
        for b in range(B):
            if lengths[b] is None and eos_id is not None and nxt[b] == eos_id:
                lengths[b] = n + 1
        if None not in lengths:
            break
    model.train(mode)
    return tokens
