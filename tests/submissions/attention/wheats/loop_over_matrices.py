# style: leading dimensions flattened, a python loop over the batch, two-dimensional matmuls
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    lead = query.shape[:-2]
    L, d_k = query.shape[-2:]
    S, d_v = value.shape[-2:]
    q = query.reshape(-1, L, d_k)
    k = key.reshape(-1, S, d_k)
    v = value.reshape(-1, S, d_v)
    m = None
    if mask is not None:
        m = mask.bool().expand(*lead, L, S).reshape(-1, L, S)

    all_weights = []
    all_outputs = []
    for i in range(q.shape[0]):
        s = q[i].mm(k[i].t()) / d_k ** 0.5
        if m is not None:
            s = s.masked_fill(~m[i], float("-inf"))
        w = s.softmax(dim=1)
        if m is not None:
            w = w.masked_fill(~m[i].any(dim=1, keepdim=True), 0.0)
        if dropout is not None:
            w = dropout(w)
        all_weights.append(w)
        all_outputs.append(w.mm(v[i]))

    output = torch.stack(all_outputs).reshape(*lead, L, d_v)
    weights = torch.stack(all_weights).reshape(*lead, L, S)
    return output, weights
