# fault: decode-returns-new-only
# line: 49
# what: only the continuation
import torch
import torch.nn.functional as F


def next_token_targets(token_ids, pad_id=0, ignore_index=-100):
    targets = torch.full_like(token_ids, ignore_index).long()
    nxt = token_ids[:, 1:]
    targets[:, :-1] = torch.where(nxt == pad_id, torch.full_like(nxt, ignore_index), nxt)
    return targets


def sequence_loss(logits, targets, ignore_index=-100):
    V = logits.size(-1)
    losses = F.cross_entropy(
        logits.reshape(-1, V), targets.reshape(-1), ignore_index=ignore_index, reduction="none"
    )
    n = (targets != ignore_index).sum().clamp(min=1)
    return losses.sum() / n


def train_step(model, optimizer, token_ids, targets, max_grad_norm=None):
    model.train()
    optimizer.zero_grad(set_to_none=True)
    loss = sequence_loss(model(token_ids), targets)
    loss.backward()
    if max_grad_norm is not None:
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)
    optimizer.step()
    return loss.item()


def greedy_decode(model, prompt, max_new_tokens, eos_id=None):
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            out = prompt.clone()
            done = torch.zeros(prompt.shape[0], dtype=torch.bool, device=prompt.device)
            for _ in range(max_new_tokens):
                nxt = model(out)[:, -1, :].argmax(-1)
                out = torch.cat((out, nxt[:, None]), dim=1)
                if eos_id is not None:
                    done = done | (nxt == eos_id)
                    if bool(done.all()):
                        break
            return out[:, prompt.shape[1]:]
    finally:
        model.train(training)
