# fault: softmax-wrong-axis
# line: 13
# what: softmax over the first axis, the batch
import torch
import torch.nn as nn


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.einsum("...ld,...sd->...ls", query, key) / query.shape[-1] ** 0.5
    if mask is not None:
        hide = ~mask.bool()
        scores = scores.masked_fill(hide, torch.finfo(scores.dtype).min)
    weights = nn.Softmax(dim=0)(scores)
    if mask is not None:
        weights = weights.masked_fill(hide, 0)
    if dropout is not None:
        weights = dropout(weights)
    return torch.einsum("...ls,...sd->...ld", weights, value), weights
