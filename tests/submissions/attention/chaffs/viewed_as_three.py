# fault: view-not-contiguous
# line: 13
# what: view on query, key and value, which may be transposed

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    lead, d_k = query.shape[:-2], query.size(-1)
    L, S = query.size(-2), key.size(-2)
    q = query.view(-1, L, d_k)
    k = key.view(-1, S, d_k)
    scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(d_k)
    scores = scores.reshape(*lead, L, S)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    if dropout is not None:
        weights = dropout(weights)
    output = torch.matmul(weights, value)
    return output, weights
