# style: (B*H, ...) and bmm, as in old fairseq code
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.embed_dim = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.p = dropout
        if self.head_dim * num_heads != d_model:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.scaling = self.head_dim ** -0.5
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.reset_parameters()

    def reset_parameters(self):
        for lin in (self.W_q, self.W_k, self.W_v, self.W_o):
            nn.init.xavier_uniform_(lin.weight)
            if lin.bias is not None:
                nn.init.constant_(lin.bias, 0.0)

    def _shape(self, t, n, bsz):
        return t.view(bsz, n, self.num_heads, self.head_dim).transpose(1, 2).reshape(bsz * self.num_heads, n, self.head_dim)

    def forward(self, query, key, value, mask=None):
        bsz, tgt_len, _ = query.size()
        src_len = key.size(1)
        q = self._shape(self.W_q(query) * self.scaling, tgt_len, bsz)
        k = self._shape(self.W_k(key), src_len, bsz)
        v = self._shape(self.W_v(value), src_len, bsz)
        attn = torch.bmm(q, k.transpose(1, 2))
        hide = None
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            hide = (mask == 0).expand(bsz, self.num_heads, tgt_len, src_len).reshape(-1, tgt_len, src_len)
            attn = attn.masked_fill(hide, float("-inf"))
        attn = F.softmax(attn, dim=-1)
        if hide is not None:
            attn = attn.masked_fill(hide, 0.0)
        attn = F.dropout(attn, p=self.p, training=self.training)
        out = torch.bmm(attn, v)
        out = out.view(bsz, self.num_heads, tgt_len, self.head_dim).transpose(1, 2).reshape(bsz, tgt_len, self.embed_dim)
        return self.W_o(out), attn.view(bsz, self.num_heads, tgt_len, src_len)
