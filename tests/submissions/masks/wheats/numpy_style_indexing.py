# style: None indexing and meshgrid
import torch


def padding_mask(token_ids, pad_id=0):
    B, S = token_ids.shape
    mask = torch.ones(B, 1, 1, S, dtype=torch.bool, device=token_ids.device)
    mask[token_ids[:, None, None] == pad_id] = False
    return mask


def causal_mask(size, device=None):
    rows, columns = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    return (columns <= rows).to(device)


def combine_masks(padding, causal):
    assert padding.dim() == 4 and causal.dim() == 2
    return torch.logical_and(padding, causal[None, None])


def apply_mask(scores, mask):
    result = scores.clone()
    blocked = torch.broadcast_to(mask == 0, scores.shape)
    result[blocked] = -torch.inf
    return result
