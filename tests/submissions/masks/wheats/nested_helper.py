# style: one helper used by all functions, keep and forbid made explicit
import math

import torch


def _keep(mask):
    """Any 0/1 mask as a boolean keep mask."""
    return mask if mask.dtype is torch.bool else mask.ne(0)


def padding_mask(token_ids, pad_id=0):
    real = _keep(token_ids - pad_id)
    return torch.atleast_2d(real).unflatten(0, (-1, 1, 1)).reshape(real.shape[0], 1, 1, -1)


def causal_mask(size, device=None):
    square = torch.ones(size, size, dtype=torch.uint8, device=device)
    return _keep(square.tril())


def combine_masks(padding, causal):
    return _keep(padding) & _keep(causal)[None, None]


def apply_mask(scores, mask):
    return scores.masked_fill(~_keep(mask), -math.inf)
