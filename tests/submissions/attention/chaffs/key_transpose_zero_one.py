# fault: key-not-transposed
# edge: fully-masked-row-nan
# line: 10
# what: transpose(0, 1) is right for two dimensions only
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    key_T = torch.transpose(key, 0, 1)
    scores = torch.matmul(query, key_T) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    return torch.matmul(weights, value), weights
