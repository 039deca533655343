# fault: scale-by-d-model, weights-are-scores
# edge: fully-masked-row-nan
# line: 12
# what: scaled by sqrt(S), and the scores are returned as weights
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    S = key.size(-2)
    scores = query @ key.transpose(-2, -1) / math.sqrt(S)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, scores
