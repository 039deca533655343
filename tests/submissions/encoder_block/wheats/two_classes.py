# style: norm_first decides between two functions of the module; sequential FFN body over the same linears
import torch.nn as nn

from layer_norm import AddNorm, LayerNorm
from multi_head_attention import MultiHeadAttention


def post_ln(block, x, mask):
    a = x + block.drop1(block.self_attn(x, x, x, mask)[0])
    a = block.norm1(a)
    b = a + block.drop2(block.feed_forward(a))
    return block.norm2(b)


def pre_ln(block, x, mask):
    h = block.norm1(x)
    a = x + block.drop1(block.self_attn(h, h, h, mask)[0])
    h = block.norm2(a)
    return a + block.drop2(block.feed_forward(h))


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.p = dropout

    def forward(self, x):
        act = nn.ReLU()
        drop = nn.Dropout(self.p)
        drop.train(self.training)
        return self.linear2(drop(act(self.linear1(x))))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.drop1 = nn.Dropout(dropout)
        self.drop2 = nn.Dropout(dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.step = {False: post_ln, True: pre_ln}[norm_first]

    def forward(self, x, mask=None):
        return self.step(self, x, mask)
