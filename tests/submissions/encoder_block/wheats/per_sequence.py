# style: the FFN as convolutions of width one, sums in place on clones
import torch
from torch import nn
from torch.nn.functional import conv1d, layer_norm, relu

from multi_head_attention import MultiHeadAttention


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        columns = x.flatten(0, -2).T  # (d_model, all positions)
        h = conv1d(columns, self.linear1.weight.unsqueeze(-1), self.linear1.bias)
        h = self.dropout(relu(h))
        return conv1d(h, self.linear2.weight.unsqueeze(-1), self.linear2.bias).T.view_as(x)


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm([d_model])
        self.norm2 = nn.LayerNorm([d_model])
        self.resid = nn.ModuleDict(dict(attention=nn.Dropout(dropout), network=nn.Dropout(dropout)))
        self.norm_first = norm_first

    def attention_branch(self, x, mask):
        return self.resid["attention"](self.self_attn(x, x, x, mask=mask)[0])

    def network_branch(self, x):
        return self.resid["network"](self.feed_forward(x))

    def forward(self, x, mask=None):
        if not self.norm_first:
            y = self.norm1(x + self.attention_branch(x, mask))
            return self.norm2(y + self.network_branch(y))
        y = x.clone()
        y += self.attention_branch(self.norm1(x), mask)
        z = y.clone()
        z += self.network_branch(self.norm2(y))
        return z
