# fault: padding-mask-compares-order
# line: 8
# what: token_ids > pad_id loses real tokens below pad_id
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids > pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    # 下三角矩阵
    return torch.ones((size, size), device=device).tril().bool()


def combine_masks(padding, causal):
    return torch.logical_and(padding, causal)


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, -torch.inf)
