# style: written for two dimensions, and vmapped over the leading ones; chunks of dropout
import math

import torch


def _two_dimensions(query, key, value, keep):
    scores = query @ key.T / math.sqrt(query.shape[1])
    weights = torch.softmax(torch.where(keep, scores, torch.finfo(scores.dtype).min), dim=1)
    return torch.where(keep, weights, 0.0)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    size = (*query.shape[:-1], key.shape[-2])
    keep = query.new_ones(size, dtype=torch.bool) if mask is None else (mask != 0).expand(size)
    function = _two_dimensions
    for _ in range(query.dim() - 2):
        function = torch.vmap(function)
    weights = function(query, key, value, keep)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
