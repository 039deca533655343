# fault: softmax-wrong-axis
# edge: fully-masked-row-nan
# line: 14
# what: dim=2 is right for three dimensions, the query axis for four, and missing for two
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    s = query @ key.transpose(-1, -2)
    s = s / query.size(-1) ** 0.5
    if mask is not None:
        s = s.masked_fill(mask.logical_not(), -torch.inf)
    a = F.softmax(s, dim=2)
    if dropout is not None:
        a = dropout(a)
    return a @ value, a
