# fault: query-normalised
# line: 9
# what: query and key are normalised to length one
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    q = F.normalize(query, dim=-1)
    k = F.normalize(key, dim=-1)
    scores = q @ k.mT / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -torch.inf)
    weights = torch.nan_to_num(scores.softmax(-1), nan=0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
