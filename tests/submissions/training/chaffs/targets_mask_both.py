# fault: target-masks-both
# line: 10
# what: a padded position never counts
import torch
from torch import nn


def next_token_targets(token_ids, pad_id=0, ignore_index=-100):
    t = torch.roll(token_ids, -1, dims=1).to(torch.int64)
    t[(t == pad_id) | (token_ids == pad_id)] = ignore_index
    t[:, -1] = ignore_index
    return t


def sequence_loss(logits, targets, ignore_index=-100):
    keep = targets != ignore_index
    safe = targets.masked_fill(~keep, 0)
    logp = torch.log_softmax(logits, dim=-1)
    nll = -logp.gather(2, safe.unsqueeze(2)).squeeze(2)
    nll = nll * keep
    return nll.sum() / keep.sum().clamp(min=1)


def train_step(model, optimizer, token_ids, targets, max_grad_norm=None):
    model.train(True)
    model.zero_grad()
    logits = model(token_ids)
    loss = sequence_loss(logits, targets)
    loss.backward()
    if max_grad_norm is not None:
        nn.utils.clip_grad_norm_(list(model.parameters()), max_norm=max_grad_norm)
    optimizer.step()
    return float(loss.detach())


@torch.inference_mode()
def greedy_decode(model, prompt, max_new_tokens, eos_id=None):
    mode = model.training
    model.eval()
    B, P = prompt.shape
    buffer = torch.empty(B, P + max_new_tokens, dtype=prompt.dtype, device=prompt.device)
    buffer[:, :P] = prompt
    length = P
    finished = torch.zeros(B, dtype=torch.bool, device=prompt.device)
    while length < P + max_new_tokens and not finished.all():
        logits = model(buffer[:, :length])
        buffer[:, length] = logits[:, length - 1].argmax(dim=1)
        if eos_id is not None:
            finished |= buffer[:, length] == eos_id
        length += 1
    model.train(mode)
    return buffer[:, :length]
