# fault: mask-filled-with-zero
# edge: fully-masked-row-uniform
# line: 11
# what: torch.where puts zeros at the masked scores
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    logits = torch.einsum("...id,...jd->...ij", query, key) / query.shape[-1] ** 0.5
    if mask is not None:
        logits = torch.where(mask.bool(), logits, torch.zeros_like(logits))
    weights = torch.softmax(logits, dim=-1)
    weights = dropout(weights) if dropout is not None else weights
    return torch.einsum("...ij,...jd->...id", weights, value), weights
