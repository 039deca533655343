# fault: padding-mask-ignores-pad-id
# line: 8
# what: token_ids > 0 assumes that the padding is 0
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids > 0).unsqueeze(1).unsqueeze(2)


def causal_mask(size, device=None):
    future = torch.triu(torch.ones(size, size, device=device), diagonal=1)
    return future == 0


def combine_masks(padding, causal):
    both = padding * causal
    return both > 0


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf"))
