# fault: combine-inverts-one
# line: 17
# what: the padding mask is negated on the way

import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()


def combine_masks(padding, causal):
    pad = ~padding.bool()
    return pad & causal.bool()


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf"))
