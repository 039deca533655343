# style: query and key each divided by the fourth root of d_k
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    root = query.shape[-1] ** 0.25
    scores = torch.matmul(query / root, (key / root).movedim(-1, -2))
    if mask is not None:
        penalty = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
        penalty[mask == 0] = torch.finfo(scores.dtype).min / 2
        scores = scores + penalty
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = torch.where((mask == 0), 0, weights)
    if dropout is not None:
        weights = dropout(weights)
    return torch.matmul(weights, value), weights
