# fault: parameter-names
# line: 14
# what: one packed nn.Linear(d_model, 3 * d_model): the state dict is not the contract's
import torch.nn as nn
from attention import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.h = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        d = query.size(-1)
        w, b = self.W_qkv.weight, self.W_qkv.bias
        qkv = []
        for i, x in enumerate((query, key, value)):
            y = nn.functional.linear(x, w[i * d:(i + 1) * d], None if b is None else b[i * d:(i + 1) * d])
            qkv.append(y.unflatten(-1, (self.h, -1)).transpose(1, 2))
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        o, a = scaled_dot_product_attention(*qkv, mask, self.drop)
        return self.W_o(o.transpose(1, 2).flatten(2)), a
