# style: print calls and asserts left in
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    print("q", query.shape, "k", key.shape, "v", value.shape)
    assert query.shape[-1] == key.shape[-1]
    assert key.shape[-2] == value.shape[-2]
    scores = query @ key.transpose(-1, -2)
    scores = scores / math.sqrt(query.shape[-1])
    print("scores", scores.min().item(), scores.max().item())
    if mask is not None:
        print("mask", mask.shape, mask.dtype)
        if mask.dtype != torch.bool:
            mask = mask.bool()
        scores = torch.where(mask, scores, torch.full_like(scores, float("-inf")))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = torch.where(mask, weights, torch.zeros_like(weights))
    print("row sums", weights.sum(-1))
    # TODO remove prints
    if dropout is not None:
        weights = dropout(weights)
    out = weights @ value
    print("out", out.shape)
    return out, weights
