# fault: view-not-contiguous
# line: 9
# what: view raises for token ids that are not contiguous
import torch


def padding_mask(token_ids, pad_id=0):
    B, S = token_ids.shape
    return token_ids.view(B * S).ne(pad_id).view(B, 1, 1, S)


def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).tril() > 0


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, float("-inf"))
