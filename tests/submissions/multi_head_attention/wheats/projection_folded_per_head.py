# style: the output projection is split over the heads and summed, with its bias once
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model / num_heads != d_model // num_heads:
            raise ValueError("d_model / num_heads is not whole")
        self.h, self.d = num_heads, d_model // num_heads
        for name in ["W_q", "W_k", "W_v", "W_o"]:
            self.register_module(name, nn.Linear(d_model, d_model, bias=bias))
        self.drop = nn.Dropout(dropout)

    def heads(self, x):
        b, n, _ = x.size()
        return x.reshape(b, n, self.h, self.d).movedim(2, 1)

    def forward(self, query, key, value, mask=None):
        q = self.heads(self.W_q(query))
        k = self.heads(self.W_k(key))
        v = self.heads(self.W_v(value))
        logits = (q.unsqueeze(3) * k.unsqueeze(2)).sum(-1) / self.d**0.5
        if mask is None:
            mask = torch.ones(1, 1, 1, k.size(2), dtype=torch.bool, device=q.device)
        if mask.dim() == 3:
            mask = mask[:, None, :, :]
        keep = mask.to(torch.bool)
        log_w = logits.masked_fill(~keep, torch.finfo(logits.dtype).min).log_softmax(dim=-1)
        w = self.drop(log_w.exp().masked_fill(~keep, 0.0))
        context = w @ v
        out_weight = self.W_o.weight.view(-1, self.h, self.d)
        out = torch.einsum("bhld,ohd->blo", context, out_weight)
        if self.W_o.bias is not None:
            out = out + self.W_o.bias
        return out, w
