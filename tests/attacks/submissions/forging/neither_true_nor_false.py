# exercise: masks
# tries: returns booleans whose bytes are neither 0 nor 1, true and false at once
# expect: failed
import torch


def odd(*shape):
    return torch.full(shape, 2, dtype=torch.uint8).view(torch.bool)


def padding_mask(token_ids, pad_id=0):
    return odd(token_ids.shape[0], 1, 1, token_ids.shape[1])


def causal_mask(size, device=None):
    return odd(size, size)


def combine_masks(padding, causal):
    return odd(padding.shape[0], 1, causal.shape[0], causal.shape[1])


def apply_mask(scores, mask):
    return scores * float("nan")
