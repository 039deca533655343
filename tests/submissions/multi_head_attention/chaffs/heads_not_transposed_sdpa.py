# fault: heads-not-transposed
# line: 19
# what: the head axis is never moved before the call
from torch import nn
from attention import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("not divisible")
        self.num_heads = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = [nn.Linear(d_model, d_model, bias=bias) for _ in range(4)]
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        def split(x):
            return x.unflatten(-1, (self.num_heads, -1))

        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        y, w = scaled_dot_product_attention(split(self.W_q(query)), split(self.W_k(key)), split(self.W_v(value)), mask, self.dropout)
        return self.W_o(y.flatten(2)), w
