# fault: apply-mask-in-place
# line: 23
# what: index assignment into the caller's scores
import torch


def padding_mask(token_ids, pad_id=0):
    B, S = token_ids.shape
    # (B, S) -> (B, 1, 1, S)
    return (token_ids != pad_id).reshape(B, 1, 1, S)


def causal_mask(size, device=None):
    return torch.tril(torch.ones(size, size, dtype=torch.bool, device=device))


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    hide = (mask == 0).expand_as(scores)
    scores.data[hide] = float("-inf")
    return scores
