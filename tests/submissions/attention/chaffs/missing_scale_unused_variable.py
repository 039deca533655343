# fault: missing-scale
# line: 9
# what: the scale is computed but never used
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scale = query.size(-1) ** -0.5
    scores = torch.einsum("...qd,...kd->...qk", query, key)
    if mask is not None:
        keep = mask.bool()
        scores = torch.where(keep, scores, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = torch.where(keep, weights, 0)
    if dropout is not None:
        weights = dropout(weights)
    return torch.einsum("...qk,...kv->...qv", weights, value), weights
