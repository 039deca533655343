# style: a helper object without parameters, static methods and walrus
import torch
from torch import nn


class Splitter:
    def __init__(self, heads):
        self.heads = heads

    def __call__(self, x):
        return torch.stack(torch.tensor_split(x, self.heads, dim=2), dim=1)

    @staticmethod
    def back(x):
        return torch.cat(list(x.transpose(0, 1)), dim=2)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if (rest := d_model % num_heads) != 0:
            raise ValueError(f"{rest} features are left over")
        kwargs = dict(in_features=d_model, out_features=d_model, bias=bias)
        self.W_q = nn.Linear(**kwargs)
        self.W_k = nn.Linear(**kwargs)
        self.W_v = nn.Linear(**kwargs)
        self.W_o = nn.Linear(**kwargs)
        self.splitter = Splitter(num_heads)
        self.after_softmax = nn.Sequential(nn.Identity(), nn.Dropout(dropout))

    @staticmethod
    def mask4(mask):
        return mask if mask.dim() != 3 else torch.unsqueeze(mask, 1)

    def forward(self, query, key, value, mask=None):
        q, k, v = map(self.splitter, [self.W_q(query), self.W_k(key), self.W_v(value)])
        s = q.matmul(k.transpose(2, 3)).div(q.size(3) ** 0.5)
        if mask is not None:
            gone = self.mask4(mask) == 0
            w = s.masked_fill(gone, -torch.inf).softmax(dim=3) if not gone.all(-1).any() else None
            if w is None:
                low = torch.finfo(s.dtype).min
                w = s.masked_fill(gone, low).softmax(dim=3).masked_fill(gone, 0)
        else:
            w = s.softmax(dim=3)
        w = self.after_softmax(w)
        return self.W_o(self.splitter.back(w.matmul(v))), w
