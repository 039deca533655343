# fault: softmax-wrong-axis
# edge: fully-masked-row-nan
# line: 15
# what: F.softmax without dim: dim 0 or 1, depending on the number of axes
import math

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    attn = F.softmax(scores)
    if dropout is not None:
        attn = dropout(attn)
    return torch.matmul(attn, value), attn
