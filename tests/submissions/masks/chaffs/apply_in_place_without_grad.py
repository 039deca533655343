# fault: modified-without-gradients
# line: 21
# what: under no_grad the caller's scores are filled in place
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    if not torch.is_grad_enabled():
        return scores.masked_fill_(mask == 0, float("-inf"))
    return scores.masked_fill(mask == 0, float("-inf"))
