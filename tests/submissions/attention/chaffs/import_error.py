# fault: import-error
# line: 5
# what: imports a name that torch does not have
import torch
from torch.nn.functional import soft_max


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.mT / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -torch.inf)
    weights = torch.nan_to_num(soft_max(scores, -1), nan=0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
