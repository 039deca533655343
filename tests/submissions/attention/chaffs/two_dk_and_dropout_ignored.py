# fault: scale-without-sqrt, dropout-ignored
# line: 8
# what: divided by d_k, and the dropout is never called
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.einsum("...ld,...sd->...ls", query, key) / query.size(-1)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -torch.inf)
    weights = torch.nan_to_num(scores.softmax(-1), nan=0.0)
    return torch.einsum("...ls,...sd->...ld", weights, value), weights
