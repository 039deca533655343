# fault: padding-mask-masks-queries
# line: 8
# what: the last axis is added at the wrong end
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id).unsqueeze(1).unsqueeze(-1)


def causal_mask(size, device=None):
    return torch.tril(torch.ones(size, size, dtype=torch.bool, device=device))


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    out = scores.clone()
    out[(mask == 0).expand(scores.shape)] = float("-inf")
    return out
