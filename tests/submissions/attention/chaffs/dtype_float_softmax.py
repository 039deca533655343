# fault: dtype-changed
# line: 9
# what: .float() for the softmax: float32 results whatever came in
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = (query @ key.transpose(-2, -1)).float() / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.nan_to_num(F.softmax(scores, dim=-1), nan=0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value.float(), weights
