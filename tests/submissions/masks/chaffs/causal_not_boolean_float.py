# fault: mask-not-boolean
# line: 12
# what: tril(ones) is a float tensor
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.tril(torch.ones(size, size, device=device))


def combine_masks(padding, causal):
    # 两个掩码都允许才行
    return (padding != 0) & (causal != 0)


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf"))
