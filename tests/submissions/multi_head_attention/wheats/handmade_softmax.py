# style: softmax by hand (maximum subtracted), broadcasting products instead of matmul
import torch
import torch.nn as nn


def masked_softmax(scores, keep):
    if keep is None:
        keep = torch.ones_like(scores, dtype=torch.bool)
    low = torch.finfo(scores.dtype).min
    top = scores.masked_fill(~keep, low).amax(dim=-1, keepdim=True).detach()
    # masked entries are moved to the top before exp, so that it cannot overflow
    e = torch.where(keep, scores, top).sub(top).exp() * keep
    total = e.sum(dim=-1, keepdim=True)
    return e / total.masked_fill(total == 0, 1.0)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if num_heads <= 0 or d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        self.n_head = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        B, L, D = query.shape
        S, H = key.shape[1], self.n_head
        d = D // H
        q = self.W_q(query).reshape(B, L, 1, H, d)
        k = self.W_k(key).reshape(B, 1, S, H, d)
        v = self.W_v(value).reshape(B, 1, S, H, d)
        scores = (q * k).sum(-1).movedim(-1, 1) / d ** 0.5  # (B, H, L, S)
        keep = None
        if mask is not None:
            keep = mask > 0
            keep = keep.unsqueeze(1) if keep.dim() == 3 else keep
        weights = self.drop(masked_softmax(scores, keep))
        out = (weights.movedim(1, -1).unsqueeze(-1) * v).sum(2)  # (B, L, H, d)
        return self.W_o(out.reshape(B, L, D)), weights
