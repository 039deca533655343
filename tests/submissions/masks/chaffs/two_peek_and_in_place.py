# fault: causal-mask-peeks-ahead, apply-mask-in-place
# line: 16
# what: the next token is visible, and the scores are changed in place
import math

import torch


def padding_mask(token_ids, pad_id=0):
    """True where the token is real."""
    mask = token_ids.ne(pad_id)
    return mask.unsqueeze(1).unsqueeze(2)


def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).tril(1)


def combine_masks(padding, causal):
    # 两个掩码都允许才行
    return (padding != 0) & (causal != 0)


def apply_mask(scores, mask):
    return scores.masked_fill_(mask == 0, -math.inf)
