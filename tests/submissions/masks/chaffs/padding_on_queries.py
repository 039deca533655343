# fault: padding-mask-masks-queries
# line: 9
# what: (B, 1, S, 1): the padded queries are forbidden, not the padded keys
import torch


def padding_mask(token_ids, pad_id=0):
    mask = token_ids != pad_id
    return mask[:, None, :, None]


def causal_mask(size, device=None):
    # 下三角矩阵
    return torch.ones((size, size), device=device).tril().bool()


def combine_masks(padding, causal):
    return torch.logical_and(padding, causal)


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, -torch.inf)
