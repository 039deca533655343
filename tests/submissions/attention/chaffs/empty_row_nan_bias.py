# fault: fully-masked-row-nan
# tier: edge
# line: 13
# what: additive -inf bias with nothing done for empty rows
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.einsum("...qd,...kd->...qk", query, key) * query.shape[-1] ** -0.5
    if mask is not None:
        bias = torch.zeros_like(scores).masked_fill(~mask.bool(), -torch.inf)
        scores = scores + bias
    weights = scores.softmax(dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    return torch.einsum("...qk,...kv->...qv", weights, value), weights
