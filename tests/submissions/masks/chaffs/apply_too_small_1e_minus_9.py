# fault: apply-mask-too-small
# line: 23
# what: 1e-9 instead of -inf
import torch


def padding_mask(token_ids, pad_id=0):
    """True where the token is real."""
    mask = token_ids.ne(pad_id)
    return mask.unsqueeze(1).unsqueeze(2)


def causal_mask(size, device=None):
    future = torch.triu(torch.ones(size, size, device=device), diagonal=1)
    return future == 0


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, 1e-9)
