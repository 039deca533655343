# fault: apply-mask-filled-with-nan
# line: 20
# what: nan instead of -inf
import torch


def padding_mask(token_ids, pad_id=0):
    return token_ids.ne(pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).tril() > 0


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, float("nan"))
