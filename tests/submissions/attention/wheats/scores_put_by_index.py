# style: allowed scores put into a tensor of the query's dtype by a boolean index
import math
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if mask is not None:
        keep = torch.broadcast_to(mask != 0, scores.shape)
        filled = torch.full(scores.shape, torch.finfo(query.dtype).min, dtype=query.dtype, device=query.device)
        filled[keep] = scores[keep]
        weights = torch.softmax(filled, dim=-1) * keep
    else:
        weights = torch.softmax(scores, dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    return torch.matmul(weights, value), weights
