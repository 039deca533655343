# fault: fully-masked-row-nan-gradient
# tier: edge
# line: 37
# what: an additive -inf mask with nan_to_num: right forward, NaN gradients through an empty row
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("Embedding size needs to be divisible by heads")
        self.embed_size = d_model
        self.heads = num_heads
        self.head_dim = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        N = query.shape[0]
        query_len, key_len, value_len = query.shape[1], key.shape[1], value.shape[1]
        queries = self.W_q(query).reshape(N, query_len, self.heads, self.head_dim)
        keys = self.W_k(key).reshape(N, key_len, self.heads, self.head_dim)
        values = self.W_v(value).reshape(N, value_len, self.heads, self.head_dim)

        energy = torch.einsum("nqhd,nkhd->nhqk", [queries, keys])
        # energy shape: (N, heads, query_len, key_len)
        energy = energy / (self.head_dim ** (1 / 2))
        if mask is not None:
            if mask.dim() == 3:
                mask = mask[:, None]
            bias = torch.zeros_like(energy).masked_fill(mask == 0, float("-inf"))
            energy = energy + bias
        attention = torch.softmax(energy, dim=3)
        if mask is not None:
            attention = torch.nan_to_num(attention)
        attention = self.drop(attention)
        out = torch.einsum("nhql,nlhd->nqhd", [attention, values]).reshape(N, query_len, self.heads * self.head_dim)
        return self.W_o(out), attention
