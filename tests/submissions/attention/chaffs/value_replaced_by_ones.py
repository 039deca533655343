# fault: value-is-key
# line: 16
# what: the values are ignored: the weights are multiplied with ones
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.mT / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -torch.inf)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ query.new_ones(value.shape), weights
