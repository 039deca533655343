# fault: causal-mask-antidiagonal
# line: 17
# what: flipped: the triangle is on the wrong diagonal
import math

import torch


def padding_mask(token_ids, pad_id=0):
    # 真实的词 True，填充 False
    是填充 = token_ids == pad_id
    return 是填充.logical_not()[:, None, None]


def causal_mask(size, device=None):
    ones = torch.ones(size, size, dtype=torch.bool, device=device)
    return torch.tril(ones).flip(1)


def combine_masks(padding, causal):
    # 两个掩码都允许才行
    return (padding != 0) & (causal != 0)


def apply_mask(scores, mask):
    禁止 = mask.logical_not()
    return scores.masked_fill(禁止, -math.inf)
