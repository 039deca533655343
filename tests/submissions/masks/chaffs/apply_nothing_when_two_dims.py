# fault: apply-mask-only-with-heads
# line: 22
# what: the mask is used for scores with heads only
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    future = torch.triu(torch.ones(size, size, device=device), diagonal=1)
    return future == 0


def combine_masks(padding, causal):
    both = padding * causal
    return both > 0


def apply_mask(scores, mask):
    if scores.dim() < 4:
        return scores.clone()
    return scores.masked_fill(mask == 0, float("-inf"))
