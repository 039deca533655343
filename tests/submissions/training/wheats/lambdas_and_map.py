# style: functions kept short by lambdas; functional gradients stored by hand; vmap
import torch
import torch.nn.functional as F

next_token_targets = lambda token_ids, pad_id=0, ignore_index=-100: F.pad(  # noqa: E731
    torch.where(token_ids[:, 1:] == pad_id, ignore_index, token_ids[:, 1:].long()), (0, 1), value=ignore_index
)


def sequence_loss(logits, targets, ignore_index=-100):
    one = lambda scores, y: torch.logsumexp(scores, -1) - scores[y]  # noqa: E731
    pairs = [
        (scores, y)
        for scores, y in zip(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1).tolist())
        if y != ignore_index
    ]
    if not pairs:
        return logits.mul(0).sum()
    return torch.stack([one(scores, y) for scores, y in pairs]).mean()


def train_step(model, optimizer, token_ids, targets, max_grad_norm=None):
    [module.train() for module in model.modules()]
    optimizer.zero_grad()
    loss = sequence_loss(model(token_ids), targets)
    torch.autograd.backward(loss)
    _ = max_grad_norm is None or torch.nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)
    optimizer.step()
    return loss.item()


def greedy_decode(model, prompt, max_new_tokens, eos_id=None):
    modes = {module: module.training for module in model.modules()}
    model.eval()
    tokens = prompt
    with torch.inference_mode():
        for _ in range(max_new_tokens):
            tokens = torch.cat([tokens, model(tokens)[:, [-1]].argmax(-1)], dim=1)
            new = tokens[:, prompt.size(1):].tolist()
            if eos_id is not None and all(map(lambda row: eos_id in row, new)):
                break
    for module, mode in modes.items():
        module.training = mode
    return tokens.clone()
