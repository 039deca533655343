# style: a Python loop over the heads, slices of the projections
import torch
import torch.nn as nn

from attention import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super(MultiHeadAttention, self).__init__()
        if d_model % num_heads:
            raise ValueError(f"d_model={d_model} is not a multiple of num_heads={num_heads}")
        self.num_heads = num_heads
        self.head_size = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias)
        self.W_k = nn.Linear(d_model, d_model, bias)
        self.W_v = nn.Linear(d_model, d_model, bias)
        self.W_o = nn.Linear(d_model, d_model, bias)
        self.attn_dropout = nn.Dropout(p=dropout)

    def forward(self, query, key, value, mask=None):
        Q, K, V = self.W_q(query), self.W_k(key), self.W_v(value)
        outputs = []
        all_weights = []
        for i in range(self.num_heads):
            lo, hi = i * self.head_size, (i + 1) * self.head_size
            head_mask = mask
            if mask is not None and mask.dim() == 4:
                # (B or 1, H or 1, ...) -> this head's mask
                head_mask = mask[:, i] if mask.size(1) > 1 else mask[:, 0]
            o, w = scaled_dot_product_attention(
                Q[:, :, lo:hi], K[:, :, lo:hi], V[:, :, lo:hi], mask=head_mask, dropout=self.attn_dropout
            )
            outputs.append(o)
            all_weights.append(w)
        return self.W_o(torch.cat(outputs, dim=-1)), torch.stack(all_weights, dim=1)
