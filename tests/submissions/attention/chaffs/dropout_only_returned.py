# fault: dropout-only-returned
# what: the sum uses the weights before dropout; only the returned weights have it
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0)
    output = weights @ value
    if dropout is not None:
        weights = dropout(weights)
    return output, weights
