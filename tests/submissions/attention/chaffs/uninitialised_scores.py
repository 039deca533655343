# fault: uninitialised-memory
# line: 13
# what: torch.empty is filled only where the mask allows
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    raw = query @ key.mT / query.size(-1) ** 0.5
    if mask is None:
        weights = raw.softmax(-1)
    else:
        keep = mask.bool().expand(raw.shape)
        scores = torch.empty_like(raw)
        scores[keep] = raw[keep]
        weights = scores.softmax(-1)
        weights = weights * keep.any(-1, keepdim=True)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
