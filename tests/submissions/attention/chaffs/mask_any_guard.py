# fault: fully-masked-row-uniform
# tier: edge
# what: a mask that allows nothing at all is skipped, as if there were none
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    if mask is None or not mask.any():
        weights = scores.softmax(dim=-1)
    else:
        weights = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min).softmax(dim=-1)
        weights = weights.masked_fill(mask == 0, 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
