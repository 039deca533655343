# fault: causal-mask-peeks-ahead
# line: 17
# what: all positions are allowed
import math

import torch


def padding_mask(token_ids, pad_id=0):
    # 真实的词 True，填充 False
    是填充 = token_ids == pad_id
    return 是填充.logical_not()[:, None, None]


def causal_mask(size, device=None):
    mask = torch.ones(size, size, dtype=torch.bool, device=device)
    torch.tril(mask)
    return mask


def combine_masks(padding, causal):
    # 两个掩码都允许才行
    return (padding != 0) & (causal != 0)


def apply_mask(scores, mask):
    禁止 = mask.logical_not()
    return scores.masked_fill(禁止, -math.inf)
