# fault: apply-mask-too-small
# line: 21
# what: -1e4 instead of -inf
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    pos = torch.arange(size, device=device)
    return pos[:, None] >= pos[None, :]


def combine_masks(padding, causal):
    return torch.logical_and(padding, causal)


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, -1e4)
