# fault: combine-with-or
# line: 21
# what: logical_or of the keep masks
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
    allowed = torch.logical_or(padding, causal)
    return allowed


def apply_mask(scores, mask):
    禁止 = mask.logical_not()
    return scores.masked_fill(禁止, -math.inf)
