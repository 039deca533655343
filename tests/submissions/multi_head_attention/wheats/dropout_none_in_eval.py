# style: the callable is passed only when it does something; folded batch and heads
from attention import scaled_dot_product_attention as attend
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError
        self.num_heads = num_heads
        self.W_q, self.W_k = nn.Linear(d_model, d_model, bias=bias), nn.Linear(d_model, d_model, bias=bias)
        self.W_v, self.W_o = nn.Linear(d_model, d_model, bias=bias), nn.Linear(d_model, d_model, bias=bias)
        self.attention_dropout = nn.Dropout(dropout)

    def fold(self, x):
        B, S, d = x.shape
        x = x.reshape(B, S, self.num_heads, d // self.num_heads)
        return x.transpose(1, 2).reshape(B * self.num_heads, S, -1)

    def forward(self, query, key, value, mask=None):
        B, L, d = query.shape
        S = key.shape[1]
        if mask is not None:
            mask = mask.unsqueeze(1) if mask.dim() == 3 else mask
            mask = mask.expand(B, self.num_heads, L, S).flatten(0, 1)
        drop = self.attention_dropout if self.training and self.attention_dropout.p else None
        out, w = attend(self.fold(self.W_q(query)), self.fold(self.W_k(key)), self.fold(self.W_v(value)), mask, drop)
        out = out.view(B, self.num_heads, L, -1).transpose(1, 2).reshape(B, L, d)
        return self.W_o(out), w.view(B, self.num_heads, L, S)
