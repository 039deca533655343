# style: own softmax helper with the maximum subtracted, safe division
import torch


def my_softmax(x, keep):
    if keep is not None:
        x = x.masked_fill(~keep, float("-inf"))
    m = x.max(dim=-1, keepdim=True).values
    m = m.masked_fill(m == float("-inf"), 0.0)
    e = torch.exp(x - m.detach())
    total = e.sum(dim=-1, keepdim=True)
    return e / total.masked_fill(total == 0, 1.0)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    d_k = key.shape[-1]
    scores = query.matmul(key.mT).div(d_k**0.5)
    weights = my_softmax(scores, None if mask is None else mask.to(torch.bool))
    if dropout is not None:
        weights = dropout(weights)
    return weights.matmul(value), weights
