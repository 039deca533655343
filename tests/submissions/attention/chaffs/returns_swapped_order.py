# fault: returns-output-only
# line: 15
# what: returns (weights, output)
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.einsum("...ld,...sd->...ls", query, key) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -torch.inf)
    weights = torch.nan_to_num(scores.softmax(-1), nan=0.0)
    if dropout is not None:
        weights = dropout(weights)
    context = torch.einsum("...ls,...sd->...ld", weights, value)
    return weights, context
