# style: the mask is brought into four dimensions and made boolean by the block itself
import torch
from torch import nn

from layer_norm import LayerNorm
from multi_head_attention import MultiHeadAttention


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        h = self.linear1(x)
        return self.linear2(self.drop((h + h.abs()) / 2))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)
        self.pre = norm_first

    @staticmethod
    def four_dimensional(mask, x):
        if mask is None:
            return torch.ones(1, 1, 1, x.size(1), dtype=torch.bool, device=x.device)
        mask = mask.to(torch.bool)
        if mask.ndim == 2:
            return mask[None, None]
        return mask[:, None] if mask.ndim == 3 else mask

    def forward(self, x, mask=None):
        mask = self.four_dimensional(mask, x)
        for norm, sublayer in (
            (self.norm1, lambda h: self.self_attn(h, h, h, mask)[0]),
            (self.norm2, lambda h: self.feed_forward(h)),
        ):
            if self.pre:
                x = x + self.drop(sublayer(norm(x)))
            else:
                x = norm(x + self.drop(sublayer(x)))
        return x
