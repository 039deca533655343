# style: selects what counts by boolean indexing; pads ended rows with zeros; manual norm
import torch


def next_token_targets(token_ids, pad_id=0, ignore_index=-100):
    B, S = token_ids.shape
    last = torch.full((B, 1), ignore_index, dtype=torch.long, device=token_ids.device)
    out = torch.cat([token_ids[:, 1:].long(), last], dim=1)
    padded = torch.cat([token_ids[:, 1:] == pad_id, last == ignore_index], dim=1)
    out[padded] = ignore_index
    return out


def sequence_loss(logits, targets, ignore_index=-100):
    mask = targets.ne(ignore_index)
    chosen = logits[mask]  # (N, V)
    wanted = targets[mask]  # (N,)
    log_probs = chosen - chosen.logsumexp(-1, keepdim=True)
    picked = log_probs[torch.arange(len(wanted), device=logits.device), wanted]
    if len(wanted) == 0:
        return picked.sum()
    return -picked.mean()


def _global_norm(params):
    return torch.sqrt(sum(p.grad.detach().pow(2).sum() for p in params))


def train_step(model, optimizer, token_ids, targets, max_grad_norm=None):
    model.train()
    optimizer.zero_grad()
    loss = sequence_loss(model(token_ids), targets)
    loss.backward()
    if max_grad_norm is not None:
        params = [p for p in model.parameters() if p.grad is not None]
        scale = torch.clamp(max_grad_norm / (_global_norm(params) + 1e-6), max=1.0)
        for p in params:
            p.grad.detach().mul_(scale.to(p.grad.device))
    optimizer.step()
    return loss.item()


def greedy_decode(model, prompt, max_new_tokens, eos_id=None):
    mode = model.training
    model.eval()
    generated = []
    sequence = prompt
    done = torch.zeros_like(prompt[:, 0], dtype=torch.bool)
    for _ in range(max_new_tokens):
        with torch.no_grad():
            scores = model(sequence)
        nxt = torch.max(scores[:, -1, :], dim=-1)[1]
        nxt = nxt.masked_fill(done, 0)
        generated.append(nxt)
        sequence = torch.column_stack([prompt, *generated])
        if eos_id is not None:
            done = done | (nxt == eos_id) & ~done
            if done.sum() == done.numel():
                break
    model.train(mode)
    return sequence
