# fault: apply-mask-causal-too
# line: 22
# what: a causal mask is added when the scores are square
import torch


def padding_mask(token_ids, pad_id=0):
    return token_ids.ne(pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).tril() > 0


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    keep = mask.bool()
    if scores.size(-1) == scores.size(-2):
        keep = keep & causal_mask(scores.size(-1))
    return scores.masked_fill(~keep, float("-inf"))
