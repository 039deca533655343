# fault: padding-mask-ignores-pad-id
# line: 8
# what: compares with 0 whatever pad_id is
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != 0)[:, None, None, :]


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
