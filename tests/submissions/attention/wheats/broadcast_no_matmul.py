# style: no matmul at all: broadcasting products and sums
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    products = query[..., :, None, :] * key[..., None, :, :]  # (..., L, S, d_k)
    scores = products.sum(dim=-1) / query.shape[-1] ** 0.5
    if mask is not None:
        allowed = torch.zeros_like(scores, dtype=torch.bool) | (mask != 0)
        scores[~allowed] = float("-inf")
        scores[~allowed.any(dim=-1)] = 0
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights * allowed.to(weights.dtype)
    if dropout is not None:
        weights = dropout(weights)
    output = (weights[..., None] * value[..., None, :, :]).sum(dim=-2)
    return output, weights
