# style: weights and biases by hand, F.linear everywhere, keyword-only settings
import torch
from torch import nn
from torch.nn.functional import linear, softmax


class Projection(nn.Linear):
    def __init__(self, width, *, bias):
        super().__init__(width, width, bias=bias)
        with torch.no_grad():
            self.weight.normal_(std=width**-0.5)
            if self.bias is not None:
                self.bias.zero_()


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert isinstance(num_heads, int)
        if d_model % num_heads > 0:
            raise ValueError("num_heads")
        self.W_q = Projection(d_model, bias=bias)
        self.W_k = Projection(d_model, bias=bias)
        self.W_v = Projection(d_model, bias=bias)
        self.W_o = Projection(d_model, bias=bias)
        self.n = num_heads
        self.dropout_p = dropout

    def forward(self, query, key, value, mask=None):
        H = self.n
        q = linear(query, self.W_q.weight, self.W_q.bias)
        k = linear(key, self.W_k.weight, self.W_k.bias)
        v = linear(value, self.W_v.weight, self.W_v.bias)
        B, L, D = q.shape
        S = k.shape[1]
        scores = torch.empty(B, H, L, S, dtype=q.dtype, device=q.device)
        d = D // H
        rows = []
        for h in range(H):
            part = slice(h * d, h * d + d)
            rows.append(q[..., part] @ k[..., part].transpose(1, 2))
        scores = torch.stack(rows, dim=1) / d**0.5
        if mask is not None:
            mask = (mask[:, None] if mask.dim() == 3 else mask).expand(B, H, L, S).bool()
            empty = (~mask).all(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, float("-inf"))
            w = softmax(scores, dim=-1).masked_fill(empty, 0.0)
        else:
            w = softmax(scores, dim=-1)
        if self.training and self.dropout_p:
            keep = torch.bernoulli(torch.full_like(w, 1 - self.dropout_p))
            w = w * keep / (1 - self.dropout_p) if self.dropout_p < 1 else w * 0
        v = v.view(B, S, H, d)
        out = torch.einsum("bhls,bshd->blhd", w, v).reshape(B, L, D)
        return linear(out, self.W_o.weight, self.W_o.bias), w
