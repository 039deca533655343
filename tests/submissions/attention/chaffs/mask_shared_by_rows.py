# fault: mask-shared-by-rows
# line: 11
# what: a key is hidden when any query may not see it: rows share one mask
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.mT / query.size(-1) ** 0.5
    if mask is not None:
        keep = mask.bool().expand(scores.shape)
        keep = keep & keep.all(dim=-2, keepdim=True)
        scores = scores.masked_fill(~keep, -torch.inf)
    weights = torch.nan_to_num(scores.softmax(-1), nan=0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
