# fault: apply-mask-ignored
# line: 23
# what: masked_fill without the underscore: the result is thrown away
import torch


def padding_mask(token_ids, pad_id=0):
    B, S = token_ids.shape
    # (B, S) -> (B, 1, 1, S)
    return (token_ids != pad_id).reshape(B, 1, 1, S)


def causal_mask(size, device=None):
    pos = torch.arange(size, device=device)
    return pos[:, None] >= pos[None, :]


def combine_masks(padding, causal):
    return torch.logical_and(padding, causal)


def apply_mask(scores, mask):
    scores.masked_fill(mask == 0, float("-inf"))
    return scores
