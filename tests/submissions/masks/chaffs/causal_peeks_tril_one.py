# fault: causal-mask-peeks-ahead
# line: 14
# what: tril(diagonal=1) shows the next token
import torch


def padding_mask(token_ids, pad_id=0):
    """True where the token is real."""
    mask = token_ids.ne(pad_id)
    return mask.unsqueeze(1).unsqueeze(2)


def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).tril(diagonal=1).bool()


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, -torch.inf)
