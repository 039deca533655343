# fault: combine-ignores-causal
# line: 16
# what: the padding is combined with the last row of the triangle
import torch


def padding_mask(token_ids, pad_id=0):
    return token_ids.ne(pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).tril() > 0


def combine_masks(padding, causal):
    return (padding.bool() & causal.bool()[-1]).expand(-1, -1, causal.size(-1), -1)


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, float("-inf"))
