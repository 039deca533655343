# fault: output-detached
# line: 24
# what: detached: no gradient reaches the scores
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
    out = scores.detach().clone()
    return out.masked_fill(mask == 0, float("-inf"))
