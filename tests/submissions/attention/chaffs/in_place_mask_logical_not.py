# fault: mask-in-place
# line: 10
# what: the caller's mask is inverted in place
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.einsum("...ld,...sd->...ls", query, key) / query.shape[-1] ** 0.5
    if mask is not None:
        mask.logical_not_()
        scores = scores.masked_fill(mask.bool(), -torch.inf)
        weights = torch.nan_to_num(scores.softmax(-1))
    else:
        weights = scores.softmax(-1)
    if dropout is not None:
        weights = dropout(weights)
    return torch.einsum("...ls,...sd->...ld", weights, value), weights
