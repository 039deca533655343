# style: baddbmm with an additive -inf bias and the scale as alpha
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    L, D = query.shape[-2], query.shape[-1]
    S = key.shape[-2]
    lead = query.shape[:-2]
    q = query.reshape(-1, L, D)
    k = key.reshape(-1, S, D)
    v = value.reshape(-1, S, value.shape[-1])
    bias = torch.zeros(lead + (L, S), dtype=query.dtype, device=query.device)
    alive = torch.ones(lead + (L, 1), dtype=query.dtype, device=query.device)
    if mask is not None:
        forbidden = torch.logical_not(mask).broadcast_to(bias.shape)
        dead = forbidden.all(-1, keepdim=True)
        bias = bias.masked_fill(forbidden & ~dead, -torch.inf)
        alive = alive.masked_fill(dead, 0)
    scores = torch.baddbmm(bias.reshape(-1, L, S), q, k.transpose(1, 2), alpha=1 / D**0.5)
    weights = torch.softmax(scores, 2) * alive.reshape(-1, L, 1)
    if dropout is not None:
        weights = dropout(weights)
    out = torch.bmm(weights, v)
    return out.reshape(lead + (L, v.shape[-1])), weights.reshape(lead + (L, S))
