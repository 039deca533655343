# style: scores kept as (..., S, L), softmax over axis -2, transposed at the end
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    # columns are queries here, as on our blackboard: K Q^T
    scores_T = key @ query.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        full = mask.bool().expand(scores_T.transpose(-2, -1).shape)
        keep_T = full.transpose(-2, -1)
        scores_T = scores_T.masked_fill(~keep_T, -math.inf)
    weights_T = scores_T.softmax(dim=-2)
    if mask is not None:
        weights_T = weights_T.masked_fill(~keep_T, 0.0)
    weights = weights_T.transpose(-2, -1)
    if dropout is not None:
        weights = dropout(weights)
    output = (value.transpose(-2, -1) @ weights.transpose(-2, -1)).transpose(-2, -1)
    return output, weights
