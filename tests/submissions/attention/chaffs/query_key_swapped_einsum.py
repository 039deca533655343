# fault: query-key-swapped
# line: 8
# what: the einsum output is ordered key, query
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.einsum("...qd,...kd->...kq", query, key) / query.size(-1) ** 0.5
    if mask is not None:
        keep = mask.bool()
        scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights.masked_fill(~keep, 0)
    if dropout is not None:
        weights = dropout(weights)
    return torch.einsum("...ij,...jd->...id", weights, value), weights
