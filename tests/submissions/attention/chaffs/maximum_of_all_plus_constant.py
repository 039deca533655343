# fault: softmax-sum-plus-constant
# line: 14
# what: the largest score of all is subtracted, and 1e-9 added to the sum
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / query.size(-1) ** 0.5
    scores = scores - scores.max()
    e = torch.exp(scores)
    if mask is not None:
        e = e * (mask != 0)
    total = e.sum(-1, keepdim=True)
    w = e / (total + 1e-9)
    if dropout is not None:
        w = dropout(w)
    return torch.matmul(w, value), w
