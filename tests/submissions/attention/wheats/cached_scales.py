# style: the scale from a dictionary kept between calls, rsqrt of a zero-dimensional tensor
import torch

_SCALES = {}


def _scale(width, dtype):
    if (width, dtype) not in _SCALES:
        _SCALES[width, dtype] = torch.tensor(float(width), dtype=torch.float64).rsqrt()
    return _SCALES[width, dtype]


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = _scale(query.shape[-1], query.dtype) * query.matmul(key.transpose(-2, -1))
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        closed = (mask == 0).expand(scores.shape)
        shut = closed.all(dim=-1, keepdim=True)
        weights = scores.masked_fill(closed ^ shut, -torch.inf).softmax(dim=-1)
        weights = weights.masked_fill(shut, 0)
    weights = weights if dropout is None else dropout(weights)
    return weights.matmul(value), weights
