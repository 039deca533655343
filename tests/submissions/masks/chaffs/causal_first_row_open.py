# fault: causal-mask-first-row-open
# line: 13
# what: the first row sees everything
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    mask = torch.tril(torch.ones(size, size, dtype=torch.bool, device=device))
    mask[0] = True
    return mask


def combine_masks(padding, causal):
    return torch.logical_and(padding, causal)


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf"))
