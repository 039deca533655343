# style: comments in Chinese; log_softmax with index arithmetic; an early return
import torch
import torch.nn.functional as F


def next_token_targets(token_ids, pad_id=0, ignore_index=-100):
    # 整体左移一位，最后一列没有目标
    shifted = torch.full(token_ids.size(), ignore_index, dtype=torch.long, device=token_ids.device)
    shifted[:, :-1].copy_(token_ids[:, 1:])
    shifted.masked_fill_(shifted == pad_id, ignore_index)
    return shifted


def sequence_loss(logits, targets, ignore_index=-100):
    vocab = logits.shape[-1]
    flat = F.log_softmax(logits, dim=-1).reshape(-1)
    wanted = targets.reshape(-1)
    positions = torch.nonzero(wanted != ignore_index).squeeze(1)  # 计入损失的位置
    picked = flat[positions * vocab + wanted[positions]]
    return -picked.sum() / max(positions.numel(), 1)


def train_step(model, optimizer, token_ids, targets, max_grad_norm=None):
    model.train()  # 打开 dropout
    optimizer.zero_grad()
    loss = sequence_loss(model.forward(token_ids), targets)
    loss.backward()
    if max_grad_norm is not None:
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm, foreach=False)
    optimizer.step()
    return loss.item()


def greedy_decode(model, prompt, max_new_tokens, eos_id=None):
    if max_new_tokens <= 0:
        return prompt
    training = model.training
    model.eval()
    tokens, done = prompt, None
    for _ in range(max_new_tokens):
        with torch.no_grad():
            scores = model(tokens)[:, -1, :]
        best = torch.argmax(scores, dim=-1)
        tokens = torch.cat((tokens, best.unsqueeze(1)), dim=1)
        if eos_id is not None:
            hit = best == eos_id
            done = hit if done is None else torch.logical_or(done, hit)
            if done.all():  # 所有行都结束了
                model.train(training)
                return tokens
    model.train(training)
    return tokens
