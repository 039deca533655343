# style: recursion in decoding; row by row backward in training; where and nan_to_num
import torch
import torch.nn.functional as F


def next_token_targets(token_ids, pad_id=0, ignore_index=-100):
    if token_ids.shape[1] == 1:
        return torch.full(token_ids.shape, ignore_index, dtype=torch.long, device=token_ids.device)
    left = token_ids[:, 1:]
    left = left.masked_fill(left.eq(pad_id), ignore_index)
    right = torch.ones_like(token_ids[:, :1]) * ignore_index
    return torch.hstack([left, right]).type(torch.LongTensor).to(token_ids.device)


def sequence_loss(logits, targets, ignore_index=-100):
    loss = F.cross_entropy(
        logits.reshape(-1, logits.shape[-1]), targets.reshape(-1), ignore_index=ignore_index
    )
    return loss if (targets != ignore_index).any() else 0.0 * logits.sum()


def train_step(model, optimizer, token_ids, targets, max_grad_norm=None):
    """One row after the other: gradients add up within the step, and only within it."""
    model.train()
    optimizer.zero_grad()
    count = (targets != -100).sum().clamp(min=1)
    whole = 0.0
    for row, wanted in zip(token_ids.split(1), targets.split(1)):
        share = sequence_loss(model(row), wanted) * (wanted != -100).sum() / count
        share.backward()
        whole += share.item()
    if max_grad_norm is not None:
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)
    optimizer.step()
    return whole


def _grow(model, tokens, left, eos_id, ended):
    if left == 0 or bool(ended.all()):
        return tokens
    new = model(tokens)[:, -1].argmax(-1)
    if eos_id is not None:
        ended = ended | (new == eos_id)
    return _grow(model, torch.cat([tokens, new[:, None]], 1), left - 1, eos_id, ended)


def greedy_decode(model, prompt, max_new_tokens, eos_id=None):
    training = model.training
    model.eval()
    nobody = torch.zeros(prompt.size(0), dtype=torch.bool, device=prompt.device)
    with torch.no_grad():
        out = _grow(model, prompt, max_new_tokens, eos_id, nobody)
    if training:
        model.train()
    else:
        model.eval()
    return out
