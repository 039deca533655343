# style: a loop over the keys keeps a running maximum and sum (online softmax)
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    L, S = query.shape[-2], key.shape[-2]
    shape = query.shape[:-2] + (L, S)
    keep = torch.ones(shape, dtype=torch.bool, device=query.device)
    if mask is not None:
        keep = keep & (mask != 0)

    columns = []
    biggest = torch.full(shape[:-1], -math.inf, dtype=query.dtype, device=query.device)
    for j in range(S):
        k_j = key[..., j, :].unsqueeze(-2)
        s_j = (query * k_j).sum(-1) / math.sqrt(query.shape[-1])
        s_j = torch.where(keep[..., j], s_j, -math.inf)
        biggest = torch.maximum(biggest, s_j.detach())
        columns.append(s_j)
    biggest = torch.where(biggest == -math.inf, torch.zeros_like(biggest), biggest)

    total = torch.zeros_like(biggest)
    exps = []
    for s_j in columns:
        e = (s_j - biggest).exp()
        total = total + e
        exps.append(e)
    total = torch.where(total == 0, torch.ones_like(total), total)
    weights = torch.stack([e / total for e in exps], dim=-1)

    if dropout is not None:
        weights = dropout(weights)
    output = 0
    for j in range(S):
        output = output + weights[..., j].unsqueeze(-1) * value[..., j, :].unsqueeze(-2)
    return output, weights
