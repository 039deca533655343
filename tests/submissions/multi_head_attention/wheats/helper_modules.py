# style: composed of parameterless helper modules and a base class
import torch
import torch.nn as nn


class SplitHeads(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads

    def forward(self, x):
        b, s, d = x.shape
        return x.reshape(b, s, self.heads, d // self.heads).permute(0, 2, 1, 3)


class MergeHeads(nn.Module):
    def forward(self, x):
        b, h, s, d = x.shape
        return x.permute(0, 2, 1, 3).reshape(b, s, h * d)


class MaskedSoftmax(nn.Module):
    def forward(self, scores, keep):
        if keep is None:
            return torch.softmax(scores, -1)
        scores = scores.masked_fill(~keep, float("-inf"))
        # an empty row would be softmax of -inf only: give it finite scores, then zero it
        empty = ~keep.any(-1, keepdim=True)
        scores = scores.masked_fill(empty, 0.0)
        return torch.softmax(scores, -1).masked_fill(~keep, 0.0)


class AttentionBase(nn.Module):
    def __init__(self, heads, p):
        super().__init__()
        self.split, self.merge = SplitHeads(heads), MergeHeads()
        self.normalise, self.drop = MaskedSoftmax(), nn.Dropout(p)

    def attend(self, q, k, v, keep):
        w = self.normalise(torch.matmul(q, k.transpose(-1, -2)).div(q.size(-1) ** 0.5), keep)
        w = self.drop(w)
        return torch.matmul(w, v), w


class MultiHeadAttention(AttentionBase):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        if d_model % num_heads:
            raise ValueError("bad number of heads")
        super().__init__(num_heads, dropout)
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, query, key, value, mask=None):
        keep = None
        if mask is not None:
            keep = mask.ne(0)
            while keep.dim() < 3:
                keep = keep.unsqueeze(0)
            if keep.dim() == 3:
                keep = keep.unsqueeze(1)
        y, w = self.attend(self.split(self.W_q(query)), self.split(self.W_k(key)), self.split(self.W_v(value)), keep)
        return self.W_o(self.merge(y)), w
