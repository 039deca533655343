# fault: view-not-contiguous
# line: 10
# what: .view on inputs that may be non-contiguous
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    lead = query.shape[:-2]
    L, S = query.size(-2), key.size(-2)
    q = query.view(-1, L, query.size(-1))
    k = key.view(-1, S, key.size(-1))
    v = value.view(-1, S, value.size(-1))
    scores = torch.bmm(q, k.transpose(1, 2)).view(*lead, L, S) / q.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -torch.inf)
    weights = torch.nan_to_num(scores.softmax(-1), nan=0.0)
    if dropout is not None:
        weights = dropout(weights)
    out = torch.bmm(weights.reshape(-1, L, S), v)
    return out.view(*lead, L, -1), weights
