# style: multiplied by torch.rsqrt of a float32 tensor, in place on memory of its own
import torch
from torch import Tensor


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout=None
) -> tuple[Tensor, Tensor]:
    assert query.shape[-1] == key.shape[-1], "d_k differs"
    assert key.shape[-2] == value.shape[-2], "S differs"
    scale = torch.rsqrt(torch.tensor(float(query.shape[-1])))
    # own memory from here on, in-place is safe
    scores = torch.matmul(query, key.transpose(-1, -2)).mul_(scale)
    dead = None
    if mask is not None:
        blocked = mask.eq(0)
        scores.masked_fill_(blocked, float("-inf"))
        dead = blocked.all(dim=-1, keepdim=True)
        scores.masked_fill_(dead, 0)
    weights = scores.softmax(-1)
    if dead is not None:
        weights = weights.masked_fill(dead, 0)
    if dropout is not None:
        weights = dropout(weights)
    return torch.matmul(weights, value), weights
