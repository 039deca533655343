# fault: padding-mask-in-place
# line: 8
# what: ne_ writes into the caller's token ids
import torch


def padding_mask(token_ids, pad_id=0):
    return token_ids.ne_(pad_id).bool()[:, None, None, :]


def causal_mask(size, device=None):
    future = torch.triu(torch.ones(size, size, device=device), diagonal=1)
    return future == 0


def combine_masks(padding, causal):
    both = padding * causal
    return both > 0


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf"))
