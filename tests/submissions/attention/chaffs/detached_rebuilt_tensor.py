# fault: output-detached
# line: 17
# what: the output is rebuilt with torch.tensor(list), which cuts the graph
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-1, -2) * query.size(-1) ** -0.5
    if mask is not None:
        scores = torch.where(mask.bool(), scores, -torch.inf)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = torch.where(mask.bool(), weights, 0)
    if dropout is not None:
        weights = dropout(weights)
    rows = (weights @ value).tolist()
    out = torch.tensor(rows, dtype=query.dtype, device=query.device)
    return out, weights
