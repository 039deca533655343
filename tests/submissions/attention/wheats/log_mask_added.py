# style: the logarithm of the mask is added to the scores
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, torch.swapaxes(key, -1, -2)) / (d_k ** (1 / 2))
    nothing = None
    if mask is not None:
        keep = mask.to(scores.dtype)
        nothing = keep.sum(dim=-1, keepdim=True) == 0
        # log(1) = 0 changes nothing, log(0) = -inf forbids
        log_keep = torch.log(torch.where(nothing, torch.ones_like(keep), keep))
        scores = scores + log_keep
    weights = torch.nn.functional.softmax(scores, dim=-1)
    if nothing is not None:
        weights = weights * (1 - nothing.to(weights.dtype))
    if dropout is not None:
        weights = dropout(weights)
    output = torch.matmul(weights, value)
    return output, weights
