# fault: mask-truthiness
# line: 19
# what: `and` between tensors raises
import torch


def padding_mask(token_ids, pad_id=0):
    B, S = token_ids.shape
    # (B, S) -> (B, 1, 1, S)
    return (token_ids != pad_id).reshape(B, 1, 1, S)


def causal_mask(size, device=None):
    pos = torch.arange(size, device=device)
    return pos[:, None] >= pos[None, :]


def combine_masks(padding, causal):
    return padding and causal


def apply_mask(scores, mask):
    out = scores.clone()
    out[(mask == 0).expand(scores.shape)] = float("-inf")
    return out
