# fault: causal-mask-excludes-self
# line: 12
# what: triu without diagonal=1 also hides the diagonal
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    mask = torch.triu(torch.ones(size, size, device=device))
    return mask == 0


def combine_masks(padding, causal):
    return torch.logical_and(padding, causal)


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf"))
