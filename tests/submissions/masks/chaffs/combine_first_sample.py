# fault: combine-first-sample
# what: only the first sample's padding is used
import torch


def padding_mask(token_ids, pad_id=0):
    return token_ids.ne(pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).tril() > 0


def combine_masks(padding, causal):
    return (padding[:1].bool() & causal.bool()).expand(len(padding), -1, -1, -1)


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, float("-inf"))
