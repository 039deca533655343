# fault: mask-ignored
# line: 11
# what: the masked scores get a new name, but the softmax reads the old one
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.einsum("...ld,...sd->...ls", query, key) / query.shape[-1] ** 0.5
    if mask is not None:
        masked_scores = scores.masked_fill(mask.logical_not(), -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    return torch.einsum("...ls,...sd->...ld", weights, value), weights
