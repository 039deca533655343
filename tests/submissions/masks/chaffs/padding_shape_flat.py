# fault: padding-mask-shape
# line: 8
# what: (B, S) returned, the two axes are missing
import torch


def padding_mask(token_ids, pad_id=0):
    return token_ids != pad_id


def causal_mask(size, device=None):
    future = torch.triu(torch.ones(size, size, device=device), diagonal=1)
    return future == 0


def combine_masks(padding, causal):
    both = padding * causal
    return both > 0


def apply_mask(scores, mask):
    out = scores.clone()
    out[(mask == 0).expand(scores.shape)] = float("-inf")
    return out
