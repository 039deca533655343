# fault: decode-second-last-position
# line: 48
# what: one position too early
import torch
import torch.nn.functional as F


def next_token_targets(token_ids, pad_id=0, ignore_index=-100):
    extended = torch.cat([token_ids, token_ids.new_full((token_ids.size(0), 1), pad_id)], dim=1)
    pairs = extended.unfold(1, 2, 1)  # (B, S, 2)
    nxt = pairs[..., 1].to(torch.int64)
    return nxt.masked_fill(nxt == pad_id, ignore_index)


def sequence_loss(logits, targets, ignore_index=-100):
    rows = []
    for scores, wanted in zip(logits, targets):
        rows.append(F.cross_entropy(scores, wanted, ignore_index=ignore_index, reduction="sum"))
    number = targets.numel() - targets.eq(ignore_index).sum()
    return torch.stack(rows).sum() / torch.clamp(number, min=1)


def train_step(model, optimizer, token_ids, targets, max_grad_norm=None):
    model.train()
    loss = sequence_loss(model(token_ids), targets)
    model.zero_grad(set_to_none=True)
    loss.backward()
    if max_grad_norm is not None:
        total = sum(p.grad.norm() ** 2 for p in model.parameters() if p.grad is not None) ** 0.5
        ratio = max_grad_norm / (total + 1e-6)
        if ratio < 1:
            for p in model.parameters():
                if p.grad is not None:
                    p.grad = p.grad * ratio
    optimizer.step()
    result = float(loss.detach().numpy())
    return result


def greedy_decode(model, prompt, max_new_tokens, eos_id=None):
    mode = model.training
    model.eval()
    ended = set()
    tokens = prompt.clone()
    step = 0
    while step < max_new_tokens and len(ended) < tokens.shape[0]:
        with torch.no_grad():
            last = model(tokens)[:, tokens.shape[1] - 2]
        order = last.argsort(dim=-1, descending=True)
        tokens = torch.cat([tokens, order[:, :1]], dim=1)
        if eos_id is not None:
            ended |= {b for b, t in enumerate(tokens[:, -1].tolist()) if t == eos_id}
        step += 1
    model.train(mode)
    return tokens
