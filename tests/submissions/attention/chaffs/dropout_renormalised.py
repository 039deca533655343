# fault: dropout-renormalised
# line: 15
# what: the weights are renormalised after the dropout
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.mT / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -torch.inf)
    weights = torch.nan_to_num(scores.softmax(-1), nan=0.0)
    if dropout is not None:
        weights = dropout(weights)
        total = weights.sum(-1, keepdim=True)
        weights = weights / torch.where(total == 0, torch.ones_like(total), total)
    return weights @ value, weights
