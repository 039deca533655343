# fault: dtype-changed
# tier: edge
# line: 10
# what: a float32 bias is added: half precision is promoted to float32, and meets a half value
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    L, S = query.size(-2), key.size(-2)
    attn_bias = torch.zeros(L, S, dtype=torch.float32, device=query.device)
    scores = query @ key.mT * query.size(-1) ** -0.5 + attn_bias
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
