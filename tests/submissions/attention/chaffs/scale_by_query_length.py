# fault: scale-by-d-model
# line: 8
# what: divided by sqrt(L): shape unpacked in the wrong order
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    *_, d_k, seq_len = query.shape
    scores = query.matmul(key.transpose(-1, -2)) * d_k**-0.5
    if mask is not None:
        hidden = mask.logical_not()
        scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights.masked_fill(hidden, 0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights.matmul(value), weights
