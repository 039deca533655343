# style: keys are sorted, and the weights scattered back
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    """Cumulative sums of sorted exponentials, for the fun of it."""
    s = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    keep = torch.ones_like(s, dtype=torch.bool) if mask is None else (mask != 0).expand_as(s)
    s = s.masked_fill(~keep, torch.finfo(s.dtype).min)
    ordered, index = s.sort(dim=-1, descending=True)
    e = torch.exp(ordered - ordered[..., :1])
    w = torch.empty_like(s).scatter(-1, index, e / e.sum(-1, keepdim=True))
    w = w * keep
    if dropout is not None:
        w = dropout(w)
    return w @ value, w
