# fault: mask-overflow-half
# tier: edge
# line: 12
# what: (1 - mask) * -1e30 is 0 * inf = NaN in float16
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.mT / query.size(-1) ** 0.5
    if mask is not None:
        keep = mask.to(scores.dtype)
        very_low = scores.new_tensor(-1e30)
        scores = scores + (1 - keep) * very_low
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * keep
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
