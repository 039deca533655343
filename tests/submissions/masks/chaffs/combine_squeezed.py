# fault: combine-drops-head-axis
# line: 22
# what: (B, S, S): the head axis is lost
import math

import torch


def padding_mask(token_ids, pad_id=0):
    # 真实的词 True，填充 False
    是填充 = token_ids == pad_id
    return 是填充.logical_not()[:, None, None]


def causal_mask(size, device=None):
    # 下三角矩阵
    return torch.ones((size, size), device=device).tril().bool()


def combine_masks(padding, causal):
    both = padding.bool() & causal.bool()
    return both.squeeze(1)


def apply_mask(scores, mask):
    禁止 = mask.logical_not()
    return scores.masked_fill(禁止, -math.inf)
