# fault: parameters-not-registered
# line: 14
# what: the projections live in a plain dict: no parameters
import torch.nn as nn
from attention import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.h = num_heads
        self.proj = {name: nn.Linear(d_model, d_model, bias=bias) for name in "qkvo"}
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            self.proj[n](x).unflatten(-1, (self.h, -1)).transpose(1, 2)
            for n, x in zip("qkv", (query, key, value))
        )
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        out, w = scaled_dot_product_attention(q, k, v, mask=mask, dropout=self.drop)
        return self.proj["o"](out.transpose(1, 2).flatten(2)), w
