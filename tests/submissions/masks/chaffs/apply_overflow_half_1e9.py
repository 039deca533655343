# fault: apply-mask-too-small
# edge: apply-mask-overflow-half
# line: 23
# what: -1e9: finite, and it does not fit in float16
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    # 下三角矩阵
    return torch.ones((size, size), device=device).tril().bool()


def combine_masks(padding, causal):
    # 两个掩码都允许才行
    return (padding != 0) & (causal != 0)


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, -1e9)
