# style: peels one leading dimension after another, down to two-dimensional attention
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    if query.ndim > 2:
        if mask is not None:
            mask = mask.expand(query.shape[:-1] + (key.shape[-2],))
        parts = [
            scaled_dot_product_attention(
                query[i], key[i], value[i], None if mask is None else mask[i], dropout
            )
            for i in range(query.shape[0])
        ]
        outs, ws = zip(*parts)
        return torch.stack(outs), torch.stack(ws)
    scores = query @ key.T / math.sqrt(query.shape[1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -math.inf)
    weights = torch.softmax(scores, dim=1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
