# fault: weights-returned-before-mask
# edge: fully-masked-row-nan
# line: 11
# what: returns the softmax of the unmasked scores
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.matmul(query, key.mT) / query.size(-1) ** 0.5
    attention_map = F.softmax(scores, dim=-1)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    p = F.softmax(scores, dim=-1)
    if dropout is not None:
        p = dropout(p)
        attention_map = dropout(attention_map)
    return torch.matmul(p, value), attention_map
