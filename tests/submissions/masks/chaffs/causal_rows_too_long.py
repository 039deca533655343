# fault: causal-mask-wrong-size
# line: 19
# what: each row of the lists is two too long

import math

import torch


def padding_mask(token_ids, pad_id=0):
    B, S = token_ids.shape
    mask = token_ids != pad_id
    return mask.reshape(B, 1, 1, S)


def causal_mask(size, device=None):
    rows = []
    for i in range(size):
        rows.append([1] * (i + 1) + [0] * (size - i + 1))
    return torch.tensor(rows, device=device).bool()


def combine_masks(padding, causal):
    both = padding * causal
    return both != 0


def apply_mask(scores, mask):
    hide = torch.logical_not(mask)
    out = scores.clone()
    return out.masked_fill_(hide, -math.inf)
