# fault: weights-axes-wrong
# line: 47
# what: returned weights keep the shape (B*H, L, S)
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.scaling = self.head_dim ** -0.5
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.attn_drop = nn.Dropout(dropout)

    def fold(self, t):
        bsz, n, _ = t.shape
        t = t.view(bsz, n, self.num_heads, self.head_dim).transpose(1, 2)
        return t.reshape(bsz * self.num_heads, n, self.head_dim)

    def forward(self, query, key, value, mask=None):
        bsz, tgt_len, embed_dim = query.shape
        src_len = key.size(1)
        q = self.fold(self.W_q(query)) * self.scaling
        k = self.fold(self.W_k(key))
        v = self.fold(self.W_v(value))
        attn_weights = torch.bmm(q, k.transpose(1, 2))
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            mask = mask.bool().expand(bsz, self.num_heads, tgt_len, src_len)
            mask = mask.reshape(bsz * self.num_heads, tgt_len, src_len)
            attn_weights = attn_weights.masked_fill(mask.logical_not(), float("-inf"))
        attn_probs = attn_weights.softmax(-1)
        if mask is not None:
            attn_probs = attn_probs.masked_fill(mask.logical_not(), 0.0)
        attn_probs = self.attn_drop(attn_probs)
        attn_output = torch.bmm(attn_probs, v)
        attn_output = attn_output.view(bsz, self.num_heads, tgt_len, self.head_dim)
        attn_output = attn_output.transpose(1, 2).reshape(bsz, tgt_len, embed_dim)
        return self.W_o(attn_output), attn_probs
