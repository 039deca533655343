# fault: dropout-ignored
# line: 14
# what: the result of dropout(weights) is thrown away
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    q = query / query.shape[-1] ** 0.5
    scores = q.matmul(key.transpose(-1, -2))
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -torch.inf)
    weights = torch.nan_to_num(torch.softmax(scores, -1), nan=0.0)
    if dropout is not None:
        dropout(weights)
    return weights.matmul(value), weights
