# style: weights as exp(scores - logsumexp), mask through where
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    lse_scores = torch.einsum("...id,...jd->...ij", query, key) / query.size(-1) ** 0.5
    if mask is not None:
        keep = mask.bool()
        lowest = torch.tensor(torch.finfo(query.dtype).min, dtype=query.dtype, device=query.device)
        lse_scores = torch.where(keep, lse_scores, lowest)
    weights = (lse_scores - lse_scores.logsumexp(dim=-1, keepdim=True)).exp()
    if mask is not None:
        weights = weights * keep
    if dropout is not None:
        weights = dropout(weights)
    return torch.einsum("...ij,...jd->...id", weights, value), weights
