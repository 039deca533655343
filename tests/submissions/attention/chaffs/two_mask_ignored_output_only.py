# fault: mask-ignored, returns-output-only
# line: 14
# what: the mask is unused and the weights are not returned
import math

import torch
import torch.nn as nn


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    attention = nn.Softmax(dim=-1)(query @ key.transpose(-2, -1) / math.sqrt(query.size(-1)))
    if dropout is not None:
        attention = dropout(attention)
    return attention @ value
