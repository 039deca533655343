# style: queries in chunks of two, joined by cat; dropout is applied to each chunk
import torch


def _chunk(query, key, value, keep, dropout):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if keep is not None:
        scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, -1)
    if keep is not None:
        weights = weights * keep.to(weights.dtype)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    L, S = query.shape[-2], key.shape[-2]
    keep = None
    if mask is not None:
        keep = torch.broadcast_to(mask != 0, (*query.shape[:-2], L, S))
    outputs, all_weights = [], []
    for start in range(0, L, 2):
        rows = slice(start, start + 2)
        part = None if keep is None else keep[..., rows, :]
        output, weights = _chunk(query[..., rows, :], key, value, part, dropout)
        outputs.append(output)
        all_weights.append(weights)
    return torch.cat(outputs, dim=-2), torch.cat(all_weights, dim=-2)
