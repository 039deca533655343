# style: upper triangle negated, De Morgan for the combination
import torch


def padding_mask(token_ids, pad_id=0):
    is_pad = torch.eq(token_ids, pad_id)
    B, S = is_pad.shape
    return is_pad.logical_not().reshape(B, 1, 1, S)


def causal_mask(size, device=None):
    future = torch.triu(torch.ones((size, size), device=device), diagonal=1)
    return future.logical_not()


def combine_masks(padding, causal):
    # forbidden when either forbids
    forbidden = padding.logical_not() | causal.logical_not()
    return ~forbidden


def apply_mask(scores, mask):
    return torch.masked_fill(scores, mask.logical_not(), -torch.inf)
