# style: einops rearrange and repeat
import torch
from einops import rearrange, repeat


def padding_mask(token_ids, pad_id=0):
    return rearrange(token_ids != pad_id, "batch keys -> batch 1 1 keys")


def causal_mask(size, device=None):
    t = torch.arange(size, device=device)
    query = repeat(t, "t -> t s", s=size)
    key = repeat(t, "t -> s t", s=size)
    return key <= query


def combine_masks(padding, causal):
    causal = rearrange(causal, "q k -> 1 1 q k")
    return torch.where(causal.bool(), padding.bool(), False)


def apply_mask(scores, mask):
    keep = mask.bool()
    nothing = torch.full((), float("-inf"), dtype=scores.dtype, device=scores.device)
    return torch.where(keep, scores, nothing)
