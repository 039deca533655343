# fault: causal-mask-transposed
# line: 14
# what: rows and columns of arange exchanged
import torch


def padding_mask(token_ids, pad_id=0):
    """True where the token is real."""
    mask = token_ids.ne(pad_id)
    return mask.unsqueeze(1).unsqueeze(2)


def causal_mask(size, device=None):
    q = torch.arange(size, device=device)[None, :]
    k = torch.arange(size, device=device)[:, None]
    return k <= q


def combine_masks(padding, causal):
    return torch.logical_and(padding, causal)


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, -torch.inf)
