# fault: -
# line: 16
# what: the loop over the batch always takes the keys of element 0
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    lead = query.shape[:-2]
    q = query.reshape(-1, *query.shape[-2:])
    k = key.reshape(-1, *key.shape[-2:])
    v = value.reshape(-1, *value.shape[-2:])
    scores = []
    for i in range(len(q)):
        scores.append(q[i] @ k[0].T / math.sqrt(q.size(-1)))
    scores = torch.stack(scores).reshape(*lead, q.size(1), k.size(1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -math.inf)
    weights = torch.nan_to_num(scores.softmax(-1), nan=0.0)
    if dropout is not None:
        weights = dropout(weights)
    out = weights.reshape(-1, q.size(1), k.size(1)) @ v
    return out.reshape(*lead, q.size(1), v.size(-1)), weights
