# fault: causal-mask-excludes-self
# line: 15
# what: tril(diagonal=-1) hides the position itself
import torch


def padding_mask(token_ids, pad_id=0):
    B, S = token_ids.shape
    # (B, S) -> (B, 1, 1, S)
    return (token_ids != pad_id).reshape(B, 1, 1, S)


def causal_mask(size, device=None):
    ones = torch.ones(size, size, dtype=torch.bool, device=device)
    return ones.tril(diagonal=-1)


def combine_masks(padding, causal):
    both = padding * causal
    return both > 0


def apply_mask(scores, mask):
    out = scores.clone()
    out[(mask == 0).expand(scores.shape)] = float("-inf")
    return out
