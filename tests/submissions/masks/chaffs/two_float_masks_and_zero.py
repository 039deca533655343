# fault: mask-not-boolean, apply-mask-zero
# line: 12
# what: float causal mask, and scores multiplied by the mask
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.tril(torch.ones(size, size, device=device))


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return scores * mask.to(scores.dtype)
