# style: add_module, functools.partial, a list as result
from functools import partial

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert d_model % num_heads == 0
        layer = partial(nn.Linear, d_model, d_model, bias=bias)
        for letter in "qkvo":
            self.add_module(f"W_{letter}", layer())
        self.heads, self.rate = num_heads, dropout

    def split(self, x):
        return torch.stack(x.chunk(self.heads, dim=-1), dim=1)

    def forward(self, query, key, value, mask=None):
        q, k, v = (self.split(f(x)) for f, x in ((self.W_q, query), (self.W_k, key), (self.W_v, value)))
        scores = torch.einsum("bhld,bhsd->bhls", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            while mask.dim() < 4:
                mask = mask.unsqueeze(-3)
            open_rows = mask.ne(0).any(-1, keepdim=True)
            scores = scores.masked_fill(mask.eq(0) & open_rows, -float("inf"))
            weights = scores.softmax(-1).masked_fill(~open_rows, 0)
        else:
            weights = scores.softmax(-1)
        weights = nn.functional.dropout(weights, self.rate, self.training)
        mixed = torch.cat((weights @ v).unbind(1), dim=-1)
        return [self.W_o(mixed), weights]
