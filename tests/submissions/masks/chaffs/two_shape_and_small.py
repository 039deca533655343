# fault: padding-mask-shape, apply-mask-too-small
# line: 8
# what: (B, 1, S) padding mask, and -1e4 in place of -inf
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, :]


def causal_mask(size, device=None):
    # 下三角矩阵
    return torch.ones((size, size), device=device).tril().bool()


def combine_masks(padding, causal):
    # 两个掩码都允许才行
    return (padding != 0) & (causal != 0)


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, -1e4)
