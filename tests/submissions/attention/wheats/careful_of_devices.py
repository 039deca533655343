# style: moves and makes everything on the input's device, in every way that PyTorch has
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    L, S, d_k = query.size(-2), key.size(-2), key.size(-1)
    root = torch.tensor(float(d_k)).to(query).sqrt()
    scores = query @ key.transpose(-2, -1) / root
    keep = torch.ones(L, S, dtype=torch.bool, device=query.device)
    if mask is not None:
        if mask.device != query.device:
            mask = mask.to(query.device)
        keep = keep & mask.to(device=query.device, dtype=torch.bool)
    with torch.device(query.device):
        nothing = torch.zeros(L, S)
    low = scores.new_full((), torch.finfo(scores.dtype).min)
    scores = torch.where(keep, scores, low) + nothing.type_as(scores)
    weights = scores.softmax(dim=-1) * keep
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
