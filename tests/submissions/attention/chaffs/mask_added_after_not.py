# fault: mask-added-as-bool
# edge: fully-masked-row-uniform
# line: 12
# what: the inverted mask, 0 or 1, is subtracted from the scores without a large factor
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.einsum("...qd,...kd->...qk", query, key) * query.shape[-1] ** -0.5
    if mask is not None:
        forbidden = mask.logical_not().to(scores.dtype)
        scores = scores - forbidden
    weights = scores.softmax(-1)
    if dropout is not None:
        weights = dropout(weights)
    return torch.einsum("...qk,...kv->...qv", weights, value), weights
