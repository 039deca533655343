# style: cumsum of the identity, minimum, subtraction of pad_id
import torch


def padding_mask(token_ids, pad_id=0):
    B, S = token_ids.shape
    return (token_ids - pad_id).bool().reshape(B, 1, 1, S)


def causal_mask(size, device=None):
    return torch.eye(size, device=device).cumsum(dim=0).bool()


def combine_masks(padding, causal):
    return torch.minimum(padding.int(), causal.int()).bool()


def apply_mask(scores, mask):
    out = scores + 0
    out[(mask == 0).expand_as(scores)] = float("-inf")
    return out
