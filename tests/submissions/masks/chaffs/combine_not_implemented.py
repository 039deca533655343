# fault: not-implemented
# line: 17
# what: the TODO of combine_masks is still there
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    # 下三角矩阵
    return torch.ones((size, size), device=device).tril().bool()


def combine_masks(padding, causal):
    raise NotImplementedError("TODO")


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf"))
