# fault: -
# what: the keys are read from memory as if they were contiguous
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    S, d = key.shape[-2:]
    n = key.numel() // (S * d)
    flat = torch.as_strided(key, (n, d, S), (S * d, 1, d))
    turned = flat.reshape(*key.shape[:-2], d, S)
    scores = query @ turned / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
