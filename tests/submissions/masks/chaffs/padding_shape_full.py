# fault: padding-mask-shape
# line: 10
# what: (B, 1, S, S) returned: expanded over the queries
import torch


def padding_mask(token_ids, pad_id=0):
    B, S = token_ids.shape
    keep = (token_ids != pad_id)[:, None, None, :]
    return keep.expand(B, 1, S, S)


def causal_mask(size, device=None):
    pos = torch.arange(size, device=device)
    return pos[:, None] >= pos[None, :]


def combine_masks(padding, causal):
    return torch.logical_and(padding, causal)


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf"))
