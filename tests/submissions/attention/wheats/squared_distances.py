# style: scores from squared distances: |q - k|^2 = |q|^2 + |k|^2 - 2 qk
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    """Softmax of -|q - k|^2 / 2 + |k|^2 / 2 is softmax of q k."""
    scale = query.size(-1) ** 0.25
    q, k = query / scale, key / scale
    gap = ((q.unsqueeze(-2) - k.unsqueeze(-3)) ** 2).sum(-1)
    scores = -0.5 * gap + 0.5 * (k**2).sum(-1).unsqueeze(-2) + 0.5 * (q**2).sum(-1).unsqueeze(-1)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * (mask != 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
