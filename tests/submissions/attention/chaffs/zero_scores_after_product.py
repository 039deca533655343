# fault: zero-scores-masked
# line: 11
# what: the scores are multiplied by the mask, and every score of 0 is then forbidden
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores * mask
        scores = scores.masked_fill(scores == 0, float("-inf"))
    w = torch.softmax(scores, -1).nan_to_num(0.0)
    if dropout is not None:
        w = dropout(w)
    return torch.matmul(w, value), w
