# fault: mask-wrong-axis
# what: the mask is transposed when it is square
import torch


def padding_mask(token_ids, pad_id=0):
    return token_ids.ne(pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).tril() > 0


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    if mask.size(-1) == mask.size(-2):
        mask = mask.transpose(-2, -1)
    return scores.masked_fill(mask == 0, float("-inf"))
