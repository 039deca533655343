# exercise: masks
# tries: nothing: what a wrong file gets that does not cheat
# expect: failed
import torch


def padding_mask(token_ids, pad_id=0):
    return torch.zeros(token_ids.shape[0], 1, 1, token_ids.shape[1], dtype=torch.bool)


def causal_mask(size, device=None):
    return torch.zeros(size, size, dtype=torch.bool, device=device)


def combine_masks(padding, causal):
    return torch.zeros(padding.shape[0], 1, causal.shape[0], causal.shape[1], dtype=torch.bool)


def apply_mask(scores, mask):
    return scores * 0
