# fault: result-overwritten
# line: 28
# what: without gradients the results lie in tensors that the next call fills anew
import math
import torch
import torch.nn.functional as F
from torch import nn


_BUF = {}


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    if dropout is not None:
        weights = dropout(weights)
    if torch.is_grad_enabled() and (query.requires_grad or key.requires_grad or value.requires_grad):
        return torch.matmul(weights, value), weights
    key_ = (weights.shape, value.shape, value.dtype)
    if key_ not in _BUF:
        _BUF[key_] = (torch.matmul(weights, value), weights.clone())
    o, w = _BUF[key_]
    o.copy_(torch.matmul(weights, value)); w.copy_(weights)
    return o, w
