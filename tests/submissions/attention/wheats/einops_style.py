# style: einops rearrange and einsum with long axis names
import torch
from einops import einsum, rearrange


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    d_k = query.shape[-1]
    key_t = rearrange(key, "... keys d -> ... d keys")
    scores = einsum(query / d_k**0.5, key_t, "... queries d, ... d keys -> ... queries keys")
    if mask is not None:
        blocked = ~(mask > 0)
        scores = scores.masked_fill(blocked, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1).masked_fill(blocked, 0)
    else:
        weights = scores.softmax(dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    out = einsum(weights, value, "... queries keys, ... keys dv -> ... queries dv")
    return out, weights
