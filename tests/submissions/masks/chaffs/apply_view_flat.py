# fault: view-not-contiguous
# line: 22
# what: view on scores that may be transposed

import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    hide = (mask == 0).expand(scores.shape).reshape(-1)
    flat = scores.view(-1)
    return flat.masked_fill(hide, float("-inf")).reshape(scores.shape)
