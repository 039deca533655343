# fault: scale-wrong-power
# what: the fourth root of d_k is divided out of the query, and forgotten for the key
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    quarter = query.shape[-1] ** 0.25
    query = query / quarter
    scores = query @ key.transpose(-2, -1)
    if mask is not None:
        keep = mask.bool()
        scores = torch.where(keep, scores, torch.finfo(scores.dtype).min)
        weights = torch.where(keep, scores.softmax(-1), 0.0)
    else:
        weights = scores.softmax(-1)
    weights = weights if dropout is None else dropout(weights)
    return weights @ value, weights
