# fault: loss-not-normalised
# line: 19
# what: nll_loss of raw logits
import torch
import torch.nn.functional as F


def next_token_targets(token_ids, pad_id=0, ignore_index=-100):
    ahead = token_ids[:, 1:].to(torch.long).clone()
    ahead[ahead == pad_id] = ignore_index
    return F.pad(ahead, (0, 1), value=ignore_index)


def sequence_loss(logits, targets, ignore_index=-100):
    flat, wanted = logits.reshape(-1, logits.size(-1)), targets.reshape(-1)
    mask = wanted != ignore_index
    if not mask.any():
        return flat.sum() * 0
    return F.nll_loss(flat[mask], wanted[mask])


def train_step(model, optimizer, token_ids, targets, max_grad_norm=None):
    model.train()
    params = [p for p in model.parameters() if p.requires_grad]
    loss = sequence_loss(model(token_ids), targets)
    grads = torch.autograd.grad(loss, params)
    if max_grad_norm is not None:
        norm = torch.cat([g.reshape(-1) for g in grads]).norm()
        factor = min(1.0, max_grad_norm / (norm.item() + 1e-12))
        grads = [g * factor for g in grads]
    for p, g in zip(params, grads):
        p.grad = g
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


@torch.no_grad()
def _continue(model, row, most, eos_id):
    for _ in range(most):
        token = model(row[None])[0, -1].argmax()
        row = torch.cat([row, token[None]])
        if eos_id is not None and token == eos_id:
            break
    return row


def greedy_decode(model, prompt, max_new_tokens, eos_id=None):
    mode = model.training
    model.eval()
    rows = [_continue(model, row, max_new_tokens, eos_id) for row in prompt]
    model.train(mode)
    filler = 0 if eos_id is None else eos_id
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=filler)
