# fault: mask-not-boolean
# line: 15
# what: the causal mask is int64
import torch


def padding_mask(token_ids, pad_id=0):
    """True where the token is real."""
    mask = token_ids.ne(pad_id)
    return mask.unsqueeze(1).unsqueeze(2)


def causal_mask(size, device=None):
    mask = torch.ones(size, size, dtype=torch.long, device=device)
    return mask.tril()


def combine_masks(padding, causal):
    both = padding * causal
    return both > 0


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, -torch.inf)
