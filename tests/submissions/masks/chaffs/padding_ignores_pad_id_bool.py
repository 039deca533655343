# fault: padding-mask-ignores-pad-id
# line: 10
# what: .bool() is a comparison with 0
import math

import torch


def padding_mask(token_ids, pad_id=0):
    real = token_ids.bool()
    return real.unsqueeze(1).unsqueeze(2)


def causal_mask(size, device=None):
    # 下三角矩阵
    return torch.ones((size, size), device=device).tril().bool()


def combine_masks(padding, causal):
    # 两个掩码都允许才行
    return (padding != 0) & (causal != 0)


def apply_mask(scores, mask):
    禁止 = mask.logical_not()
    return scores.masked_fill(禁止, -math.inf)
