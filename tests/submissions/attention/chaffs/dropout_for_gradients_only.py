# fault: dropout-ignored
# line: 12
# what: dropout only where the query takes a gradient
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    w = torch.softmax(scores, -1).nan_to_num(0.0)
    if dropout is not None and torch.is_grad_enabled() and query.requires_grad:
        w = dropout(w)
    return torch.matmul(w, value), w
