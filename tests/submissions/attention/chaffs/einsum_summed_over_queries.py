# fault: summed-over-queries
# line: 16
# what: the einsum keeps the key axis and sums over the queries
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.einsum("...qd,...kd->...qk", query, key) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0)
    if dropout is not None:
        weights = dropout(weights)
    return torch.einsum("...qk,...kd->...kd", weights, value), weights
