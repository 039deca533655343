# fault: padding-mask-assumes-trailing
# what: the mask is made from the number of real tokens
import torch


def padding_mask(token_ids, pad_id=0):
    lengths = (token_ids != pad_id).sum(dim=-1)
    steps = torch.arange(token_ids.shape[1])
    return (steps.unsqueeze(0) < lengths.unsqueeze(1)).unsqueeze(1).unsqueeze(1)


def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).tril() > 0


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, float("-inf"))
