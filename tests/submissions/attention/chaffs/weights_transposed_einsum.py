# fault: weights-transposed
# edge: fully-masked-row-nan
# line: 15
# what: the second einsum sums over the queries
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.einsum("...id,...jd->...ij", query, key) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = scores.softmax(dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    output = torch.einsum("...ij,...id->...jd", weights, value)
    return output, weights
