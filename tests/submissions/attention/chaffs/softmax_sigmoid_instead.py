# fault: softmax-missing
# line: 11
# what: sigmoid in place of softmax
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.mT * query.size(-1) ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask.bool(), -torch.inf)
    weights = torch.sigmoid(scores)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
