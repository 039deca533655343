# fault: -
# line: 9
# what: the last position always counts as real
import torch


def padding_mask(token_ids, pad_id=0):
    m = token_ids != pad_id
    m[:, -1] = True
    return m[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf"))
