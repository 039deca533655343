# fault: padding-mask-assumes-trailing
# line: 9
# what: assumes padding at the end: cuts at the first pad
import torch


def padding_mask(token_ids, pad_id=0):
    real = token_ids != pad_id
    real = real.long().cumprod(dim=1).bool()
    return real[:, None, None, :]


def causal_mask(size, device=None):
    # 下三角矩阵
    return torch.ones((size, size), device=device).tril().bool()


def combine_masks(padding, causal):
    # 两个掩码都允许才行
    return (padding != 0) & (causal != 0)


def apply_mask(scores, mask):
    out = scores.clone()
    out[(mask == 0).expand(scores.shape)] = float("-inf")
    return out
