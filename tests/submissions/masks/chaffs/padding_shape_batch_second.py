# fault: padding-mask-shape
# line: 9
# what: (1, 1, B, S): the batch lands on the query axis
import torch


def padding_mask(token_ids, pad_id=0):
    mask = token_ids != pad_id
    return mask[None, None]


def causal_mask(size, device=None):
    future = torch.triu(torch.ones(size, size, device=device), diagonal=1)
    return future == 0


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, -torch.inf)
