# fault: apply-mask-whole-row
# line: 24
# what: a query with any forbidden key loses the whole row
import torch


def padding_mask(token_ids, pad_id=0):
    # 真实的词 True，填充 False
    是填充 = token_ids == pad_id
    return 是填充.logical_not()[:, None, None]


def causal_mask(size, device=None):
    # 下三角矩阵
    return torch.ones((size, size), device=device).tril().bool()


def combine_masks(padding, causal):
    # 两个掩码都允许才行
    return (padding != 0) & (causal != 0)


def apply_mask(scores, mask):
    keep = (mask != 0).expand(scores.shape).all(dim=-1, keepdim=True)
    return scores.masked_fill(~keep, float("-inf"))
