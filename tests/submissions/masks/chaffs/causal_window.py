# fault: causal-mask-window
# line: 16
# what: sees the last three positions only
import torch


def padding_mask(token_ids, pad_id=0):
    B, S = token_ids.shape
    # (B, S) -> (B, 1, 1, S)
    return (token_ids != pad_id).reshape(B, 1, 1, S)


def causal_mask(size, device=None):
    i = torch.arange(size, device=device)
    d = i[:, None] - i[None, :]
    return (d >= 0) & (d < 3)


def combine_masks(padding, causal):
    both = padding * causal
    return both > 0


def apply_mask(scores, mask):
    out = scores.clone()
    out[(mask == 0).expand(scores.shape)] = float("-inf")
    return out
