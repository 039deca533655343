# style: stacked rows, concatenated columns, flattened scores
import torch


def padding_mask(token_ids, pad_id=0):
    S = token_ids.shape[1]
    return torch.cat([(token_ids[:, i : i + 1] != pad_id)[:, None, None, :] for i in range(S)], dim=-1)


def causal_mask(size, device=None):
    rows = [torch.arange(size, device=device) <= i for i in range(size)]
    return torch.stack(rows)


def combine_masks(padding, causal):
    return torch.where(causal.bool(), padding.bool(), torch.zeros((), dtype=torch.bool, device=padding.device))


def apply_mask(scores, mask):
    keep = mask.bool().broadcast_to(scores.shape)
    flat = scores.reshape(-1)
    out = torch.where(keep.reshape(-1), flat, torch.full_like(flat, -torch.inf))
    return out.view(scores.shape)
