# fault: wrong-signature
# line: 7
# what: the dropout parameter is missing
import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.mT / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -torch.inf)
    weights = torch.nan_to_num(scores.softmax(-1), nan=0.0)
    return weights @ value, weights
