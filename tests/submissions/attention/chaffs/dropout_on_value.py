# fault: dropout-on-scores
# line: 13
# what: dropout acts on the values
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.einsum("...qd,...kd->...qk", query, key) * query.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -torch.inf)
    weights = torch.nan_to_num(scores.softmax(-1), nan=0.0)
    if dropout is not None:
        value = dropout(value)
    return torch.einsum("...qk,...kd->...qd", weights, value), weights
