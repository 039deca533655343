# fault: causal-mask-row-left-out, causal-mask-on-cpu
# line: 13
# what: a loop that ends one early leaves the last row empty
import torch


def padding_mask(token_ids, pad_id=0):
    return token_ids.ne(pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    mask = torch.zeros(size, size, dtype=torch.bool)
    for i in range(size - 1):
        mask[i, : i + 1] = True
    return mask


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, float("-inf"))
