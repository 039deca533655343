# fault: mask-zero-times-infinity
# line: 22
# what: (1 - mask) * -inf is NaN where the mask allows
import math

import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.tril(torch.ones(size, size, dtype=torch.bool, device=device))


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return scores + (1 - mask.to(scores.dtype)) * -math.inf
