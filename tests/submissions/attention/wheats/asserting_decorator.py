# style: a decorator that asserts the shapes, walrus operators
import functools
import math

import torch


def checked(function):
    @functools.wraps(function)
    def wrapper(query, key, value, mask=None, dropout=None):
        assert query.shape[-1] == key.shape[-1], "query and key have the same width"
        assert key.shape[-2] == value.shape[-2], "one value for each key"
        assert query.shape[:-2] == key.shape[:-2] == value.shape[:-2]
        output, weights = function(query, key, value, mask=mask, dropout=dropout)
        assert output.shape == (*query.shape[:-1], value.shape[-1])
        assert weights.shape == (*query.shape[:-1], key.shape[-2])
        return output, weights

    return wrapper


@checked
def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = (query / math.sqrt(d_k := query.shape[-1])) @ key.mT
    assert d_k > 0
    if mask is not None and (blocked := mask == 0) is not None:
        weights = scores.masked_fill(blocked, torch.finfo(scores.dtype).min).softmax(-1)
        weights = weights.masked_fill(blocked, 0.0)
    else:
        weights = scores.softmax(-1)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
