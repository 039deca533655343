# fault: -
# line: 21
# what: only the first sample (or row) is masked
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    out = scores.clone()
    out[0] = scores[0].masked_fill((mask if mask.dim() < scores.dim() else mask[0]) == 0, float('-inf'))
    return out
