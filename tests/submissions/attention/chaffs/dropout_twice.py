# fault: dropout-twice
# edge: fully-masked-row-nan
# line: 19
# what: dropout on the weights and again on the output
import math

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    output = torch.matmul(weights, value)
    if dropout is not None:
        weights = dropout(weights)
        output = dropout(torch.matmul(weights, value))
    return output, weights
