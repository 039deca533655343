# style: comparisons of arange, torch.where
import math

import torch


def padding_mask(token_ids, pad_id=0):
    real = token_ids.ne(pad_id)
    return real.unsqueeze(1).unsqueeze(2)


def causal_mask(size, device=None):
    position = torch.arange(size, device=device)
    return position[:, None] >= position[None, :]


def combine_masks(padding, causal):
    return torch.logical_and(padding, causal)


def apply_mask(scores, mask):
    return torch.where(mask != 0, scores, -math.inf)
