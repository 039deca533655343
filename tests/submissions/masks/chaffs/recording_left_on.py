# fault: global-state-changed
# line: 12
# what: recording is switched off for the mask, and always on afterwards, also for a caller under no_grad
import torch


def padding_mask(token_ids, pad_id=0):
    return token_ids.ne(pad_id)[:, None, None]


def causal_mask(size, device=None):
    torch.autograd.set_grad_enabled(False)
    rows = torch.arange(size, device=device)
    mask = rows[:, None] >= rows
    torch.autograd.set_grad_enabled(True)
    return mask


def combine_masks(padding, causal):
    return (padding != 0) & (causal != 0)


def apply_mask(scores, mask):
    return torch.where(mask != 0, scores, float("-inf"))
