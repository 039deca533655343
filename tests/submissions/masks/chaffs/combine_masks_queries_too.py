# fault: combine-masks-queries-too
# line: 18
# what: also forbids padded queries: whole rows are empty
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    # 下三角矩阵
    return torch.ones((size, size), device=device).tril().bool()


def combine_masks(padding, causal):
    p = padding.bool()
    return p & p.transpose(-1, -2) & causal.bool()


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf"))
