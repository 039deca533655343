# style: asserts that scores and output have the dtype of the query
import math
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    assert query.dtype == key.dtype == value.dtype
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    assert scores.dtype == query.dtype
    if mask is not None:
        blocked = mask == 0
        scores = scores.masked_fill(blocked, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(blocked, 0.0)
    if dropout is not None:
        weights = dropout(weights)
    output = torch.matmul(weights, value)
    assert output.dtype == query.dtype, "dtype kept"
    return output, weights
