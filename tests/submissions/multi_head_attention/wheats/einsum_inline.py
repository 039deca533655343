# style: einsum throughout, attention written inline
import torch
from torch import einsum, nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert d_model % num_heads == 0, "heads must divide the width"
        self.h, self.d = num_heads, d_model // num_heads
        for name in ("W_q", "W_k", "W_v", "W_o"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=bias))
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q = self.W_q(query).unflatten(-1, (self.h, self.d))
        k = self.W_k(key).unflatten(-1, (self.h, self.d))
        v = self.W_v(value).unflatten(-1, (self.h, self.d))
        logits = einsum("blhd,bshd->bhls", q * self.d**-0.5, k)
        if mask is not None:
            keep = mask.bool()
            if keep.ndim == 3:
                keep = keep[:, None]
            logits = torch.where(keep, logits, float("-inf"))
            weights = torch.where(keep, logits.softmax(-1), 0.0)
        else:
            weights = logits.softmax(-1)
        weights = self.drop(weights)
        mixed = einsum("bhls,bshd->blhd", weights, v)
        return self.W_o(mixed.flatten(2)), weights
