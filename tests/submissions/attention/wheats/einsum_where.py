# style: einsum with an ellipsis, torch.where for the mask
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.einsum("...ld,...sd->...ls", query, key) * query.shape[-1] ** -0.5
    if mask is None:
        weights = scores.softmax(-1)
    else:
        keep = mask != 0
        floor = torch.finfo(scores.dtype).min
        weights = torch.where(keep, scores, floor).softmax(-1)
        weights = torch.where(keep, weights, 0.0)
    weights = weights if dropout is None else dropout(weights)
    return torch.einsum("...ls,...sv->...lv", weights, value), weights
