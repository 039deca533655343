# fault: device-hard-coded
# tier: edge
# line: 23
# what: -inf everywhere, made on the CPU

import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    nothing = torch.full(scores.shape, float("-inf"), dtype=scores.dtype)
    return torch.where(mask != 0, scores, nothing)
