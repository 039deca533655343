# style: tokens are written into a tensor made before
import torch
import torch.nn.functional as F
from torch import nn



def next_token_targets(token_ids: torch.Tensor, pad_id: int = 0, ignore_index: int = -100) -> torch.Tensor:
    """Position t holds token t + 1, or ``ignore_index`` where there is none: int64 (B, S)."""
    targets = torch.full_like(token_ids, ignore_index, dtype=torch.long)  # (B, S)
    following = token_ids[:, 1:].long()  # (B, S - 1)
    targets[:, :-1] = following.masked_fill(following == pad_id, ignore_index)
    return targets


def sequence_loss(logits: torch.Tensor, targets: torch.Tensor, ignore_index: int = -100) -> torch.Tensor:
    """Mean cross-entropy of ``logits`` (B, S, V) over the ``targets`` (B, S) that count; 0 when none does."""
    total = F.cross_entropy(
        logits.flatten(0, 1),  # (B*S, V)
        targets.flatten(),  # (B*S,)
        ignore_index=ignore_index,
        reduction="sum",
    )
    counted = (targets != ignore_index).sum()
    return total / counted.clamp(min=1)  # a mean over nothing would be 0 / 0


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    token_ids: torch.Tensor,
    targets: torch.Tensor,
    max_grad_norm: float | None = None,
) -> float:
    """One step of the optimizer on ``token_ids`` (B, S); returns the loss before it."""
    model.train()
    optimizer.zero_grad()
    loss = sequence_loss(model(token_ids), targets)
    loss.backward()
    if max_grad_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)
    optimizer.step()
    return loss.item()


@torch.inference_mode()
def greedy_decode(model, prompt, max_new_tokens, eos_id=None):
    B, P = prompt.shape
    was = model.training
    model.eval()
    buf = torch.empty(B, P + max_new_tokens, dtype=prompt.dtype, device=prompt.device)
    buf[:, :P] = prompt
    n = P
    done = [False] * B
    for _ in range(max_new_tokens):
        best = model(buf[:, :n])[:, n - 1].topk(1, dim=-1).indices
        buf[:, n : n + 1] = best
        n += 1
        if eos_id is not None:
            done = [d or int(b) == eos_id for d, b in zip(done, best)]
            if all(done):
                break
    if was:
        model.train()
    return buf[:, :n].clone()

