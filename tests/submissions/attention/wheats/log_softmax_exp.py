# style: log_softmax().exp(), the lowest finite number as fill, empty rows multiplied away
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    logits = torch.matmul(query, key.swapaxes(-1, -2)).mul(query.size(-1) ** -0.5)
    if mask is not None:
        allowed = mask.bool()
        logits = torch.where(allowed, logits, torch.full_like(logits, torch.finfo(logits.dtype).min))
    weights = F.log_softmax(logits, dim=-1).exp()
    if mask is not None:
        weights = weights * allowed
    if dropout is not None:
        weights = dropout(weights)
    return torch.matmul(weights, value), weights
