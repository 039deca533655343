# fault: apply-mask-overflow-half
# tier: edge
# line: 26
# what: -1e9 first, then every -1e9 becomes -inf: masked_fill raises in float16
import math

import torch


def padding_mask(token_ids, pad_id=0):
    """True where the token is real."""
    mask = token_ids.ne(pad_id)
    return mask.unsqueeze(1).unsqueeze(2)


def causal_mask(size, device=None):
    return torch.tril(torch.ones(size, size, dtype=torch.bool, device=device))


def combine_masks(padding, causal):
    both = padding * causal
    return both > 0


def apply_mask(scores, mask):
    out = scores.masked_fill(mask == 0, -1e9)
    return out.masked_fill(out == -1e9, -math.inf)
