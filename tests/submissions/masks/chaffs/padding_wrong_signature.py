# fault: wrong-signature
# line: 7
# what: the pad_id parameter is missing
import torch


def padding_mask(token_ids):
    return (token_ids != 0)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.tril(torch.ones(size, size, dtype=torch.bool, device=device))


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    out = scores.clone()
    out[(mask == 0).expand(scores.shape)] = float("-inf")
    return out
