# fault: -
# line: 13
# what: every second key, before and after
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    i = torch.arange(size, device=device)
    return (i[:, None] - i[None, :]) % 2 == 0


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf"))
