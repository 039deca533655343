# fault: apply-mask-changes-scores
# line: 27
# what: the maximum is subtracted, as in a softmax

import math

import torch


def padding_mask(token_ids, pad_id=0):
    B, S = token_ids.shape
    mask = token_ids != pad_id
    return mask.reshape(B, 1, 1, S)


def causal_mask(size, device=None):
    future = torch.triu(torch.ones(size, size, device=device), diagonal=1)
    return future == 0


def combine_masks(padding, causal):
    both = padding * causal
    return both != 0


def apply_mask(scores, mask):
    stable = scores - scores.max(dim=-1, keepdim=True).values
    return stable.masked_fill(mask == 0, -math.inf)
