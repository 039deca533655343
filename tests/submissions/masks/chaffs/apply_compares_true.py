# fault: apply-mask-booleans-only
# line: 20
# what: `mask is True` style: only booleans count
import torch


def padding_mask(token_ids, pad_id=0):
    return token_ids.ne(pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).tril() > 0


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    if mask.dtype != torch.bool:
        return scores
    return scores.masked_fill(~mask, float("-inf"))
