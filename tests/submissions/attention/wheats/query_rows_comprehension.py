# style: one query row at a time in a list comprehension, stacked afterwards
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    d_k = query.shape[-1]
    L, S = query.shape[-2], key.shape[-2]
    if mask is not None:
        mask = mask.bool().expand(*query.shape[:-2], L, S)

    def row(i):
        scores = (key @ query[..., i, :, None])[..., 0] / d_k**0.5  # (..., S)
        if mask is None:
            return torch.softmax(scores, -1)
        keep = mask[..., i, :]
        filled = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
        return torch.softmax(filled, -1).masked_fill(~keep, 0)

    weights = torch.stack([row(i) for i in range(L)], dim=-2)
    weights = dropout(weights) if dropout is not None else weights
    return weights @ value, weights
