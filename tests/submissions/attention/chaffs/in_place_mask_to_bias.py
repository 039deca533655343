# fault: mask-in-place
# line: 12
# what: a float mask is turned into a bias in place (.to copies only when the dtype differs)
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-1, -2) * query.size(-1) ** -0.5
    if mask is not None:
        bias = mask.to(scores.dtype)
        lowest = torch.finfo(scores.dtype).min
        bias.sub_(1).mul_(-lowest)
        weights = (scores + bias).softmax(-1) * (bias == 0).any(-1, keepdim=True)
    else:
        weights = scores.softmax(-1)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
