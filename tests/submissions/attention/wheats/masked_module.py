# style: torch.masked.softmax, with empty rows opened first and cleared afterwards
import torch
from torch.masked import softmax


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    d_k = query.shape[-1]
    scores = torch.tensordot(query, key, dims=([-1], [-1])) if query.dim() == 2 else query @ key.mT
    scores = scores / d_k**0.5
    if mask is None:
        weights = softmax(scores, -1)
    else:
        keep = torch.broadcast_to(mask > 0, scores.shape)
        empty = ~keep.any(-1, keepdim=True)
        weights = softmax(scores, -1, mask=keep | empty) * ~empty
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
