# fault: mask-truthiness
# line: 23
# what: `if mask` on a tensor of many elements raises
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
    if not mask:
        return scores.clone()
    return scores.masked_fill(mask == 0, float("-inf"))
