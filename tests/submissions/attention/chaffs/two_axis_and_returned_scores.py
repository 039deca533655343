# fault: softmax-wrong-axis, weights-are-scores
# what: softmax over the queries, and the scores are returned
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    logits = torch.baddbmm(
        torch.zeros((), dtype=query.dtype), query.flatten(0, -3), key.flatten(0, -3).mT, beta=0
    ).unflatten(0, query.shape[:-2]) if query.dim() > 2 else query @ key.T
    logits = logits * query.shape[-1] ** -0.5
    if mask is not None:
        logits = logits.masked_fill(mask.eq(0), float("-inf"))
    p = torch.nn.Softmax(dim=-2)(logits)
    if dropout is not None:
        p = dropout(p)
    return p @ value, logits
