# fault: causal-mask-transposed
# line: 13
# what: a right lower triangle, transposed at the end
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    mask = torch.tril(torch.ones(size, size, dtype=torch.bool, device=device))
    return mask.t()


def combine_masks(padding, causal):
    both = padding * causal
    return both > 0


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf"))
