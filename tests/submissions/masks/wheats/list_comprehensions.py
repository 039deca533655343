# style: nested lists to tensors
import torch


def padding_mask(token_ids, pad_id=0):
    rows = [[[[bool(t != pad_id) for t in row]]] for row in token_ids.tolist()]
    return torch.tensor(rows, dtype=torch.bool, device=token_ids.device)


def causal_mask(size, device=None):
    return torch.tensor([[j <= i for j in range(size)] for i in range(size)], device=device)


def combine_masks(padding, causal):
    return torch.stack([p.bool() & causal.bool() for p in padding.unbind(0)])


def apply_mask(scores, mask):
    if mask.dtype is not torch.bool:
        mask = mask > 0.5
    inf = scores.new_tensor(float("inf"))
    return torch.where(mask, scores, -inf)
