# fault: projection-shared-by-heads
# edge: fully-masked-row-nan
# line: 17
# what: heads split first, then one small d_k x d_k projection shared by all
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert d_model % num_heads == 0, "Embed size needs to be div by heads"
        self.heads = num_heads
        self.head_dim = d_model // num_heads
        self.W_v = nn.Linear(self.head_dim, self.head_dim, bias=bias)
        self.W_k = nn.Linear(self.head_dim, self.head_dim, bias=bias)
        self.W_q = nn.Linear(self.head_dim, self.head_dim, bias=bias)
        self.W_o = nn.Linear(num_heads * self.head_dim, d_model, bias=bias)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        N = query.shape[0]
        q = self.W_q(query.reshape(N, -1, self.heads, self.head_dim))
        k = self.W_k(key.reshape(N, -1, self.heads, self.head_dim))
        v = self.W_v(value.reshape(N, -1, self.heads, self.head_dim))
        energy = torch.einsum("nqhd,nkhd->nhqk", q, k) / self.head_dim ** 0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            energy = energy.masked_fill(mask == 0, float("-inf"))
        attention = self.drop(torch.softmax(energy, dim=-1))
        out = torch.einsum("nhqk,nkhd->nqhd", attention, v).flatten(2)
        return self.W_o(out), attention
