# fault: residual-added
# line: 16
# what: adds the query to the output, as if the residual belonged here
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.einsum("...ld,...sd->...ls", query, key) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -torch.inf)
    weights = torch.nan_to_num(scores.softmax(-1), nan=0.0)
    if dropout is not None:
        weights = dropout(weights)
    out = torch.einsum("...ls,...sd->...ld", weights, value)
    if out.shape == query.shape:
        out = out + query
    return out, weights
