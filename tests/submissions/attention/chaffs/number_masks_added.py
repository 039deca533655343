# fault: mask-added-as-bool
# line: 13
# what: a mask of numbers is added to the scores
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / query.size(-1) ** 0.5
    if mask is not None:
        if mask.dtype == torch.bool:
            scores = scores.masked_fill(~mask, float("-inf"))
        else:
            scores = scores + mask
    w = torch.softmax(scores, -1).nan_to_num(0.0)
    if dropout is not None:
        w = dropout(w)
    return torch.matmul(w, value), w
