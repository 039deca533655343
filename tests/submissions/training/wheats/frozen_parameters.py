# style: no graph because the parameters are frozen for the while; one_hot and einsum
import torch
import torch.nn.functional as F


def next_token_targets(token_ids, pad_id=0, ignore_index=-100):
    B, S = token_ids.shape
    index = torch.arange(1, S + 1, device=token_ids.device).clamp(max=S - 1)
    following = token_ids[:, index].long()
    nothing = (following == pad_id) | (torch.arange(S, device=token_ids.device) == S - 1)
    return torch.where(nothing, torch.tensor(ignore_index, device=token_ids.device), following)


def sequence_loss(logits, targets, ignore_index=-100):
    keep = (targets != ignore_index).to(logits.dtype)
    classes = torch.where(targets != ignore_index, targets, torch.zeros_like(targets))
    hot = F.one_hot(classes, logits.shape[-1]).to(logits.dtype)
    log_probs = F.log_softmax(logits, dim=-1)
    total = -torch.einsum("bsv,bsv,bs->", hot, log_probs, keep)
    return total / keep.sum().clamp_min(1)


def train_step(model, optimizer, token_ids, targets, max_grad_norm=None):
    model = model.train()
    optimizer.zero_grad(set_to_none=False)
    loss = sequence_loss(model(token_ids), targets)
    loss.backward()
    if max_grad_norm is not None:
        grads = [p.grad for p in model.parameters() if p.grad is not None]
        norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in grads]))
        if norm > max_grad_norm:
            for g in grads:
                g *= max_grad_norm / norm
    optimizer.step()
    return loss.tolist()


def greedy_decode(model, prompt, max_new_tokens, eos_id=None):
    state = model.training
    flags = [(p, p.requires_grad) for p in model.parameters()]
    model.eval()
    for p, _ in flags:
        p.requires_grad_(False)
    try:
        tokens = prompt
        done = torch.zeros(tokens.shape[0], 1, dtype=torch.bool, device=tokens.device)
        for _ in range(max_new_tokens):
            nxt = model(tokens)[:, -1:].argmax(-1)
            tokens = torch.cat([tokens, nxt], 1)
            if eos_id is not None:
                done |= nxt == eos_id
                if done.all():
                    break
        return tokens
    finally:
        for p, flag in flags:
            p.requires_grad_(flag)
        model.train(state)
