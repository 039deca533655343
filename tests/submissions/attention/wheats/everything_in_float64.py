# style: the computation in float64, and the result brought back to the dtype of the input
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    kind = query.dtype
    q, k, v = (t.double() for t in (query, key, value))
    s = q @ k.transpose(-2, -1) / q.new_tensor(q.shape[-1]).sqrt()
    if mask is not None:
        s = s + torch.where(mask != 0, 0.0, -1e30)
    w = s.softmax(-1)
    if mask is not None:
        w = w * (mask != 0)
    if dropout is not None:
        w = dropout(w)
    return (w @ v).to(kind), w.to(kind)
