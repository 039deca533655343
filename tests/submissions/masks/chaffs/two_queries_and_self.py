# fault: padding-mask-masks-queries, causal-mask-excludes-self
# line: 8
# what: padding on the query axis, diagonal masked
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, :, None]


def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).tril(-1)


def combine_masks(padding, causal):
    both = padding * causal
    return both > 0


def apply_mask(scores, mask):
    out = scores.clone()
    out[(mask == 0).expand(scores.shape)] = float("-inf")
    return out
