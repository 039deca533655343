# fault: sublayer-scaled
# line: 39
# what: FFN times 0.5
import torch
from torch import nn
from layer_norm import AddNorm
from multi_head_attention import MultiHeadAttention


class FeedForward(nn.Module):
    # 前馈网络：Linear -> ReLU -> Dropout -> Linear
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        hidden = torch.relu(self.linear1(x))
        hidden = self.dropout(hidden)
        return self.linear2(hidden)


class EncoderBlock(nn.Module):
    # 编码器块：自注意力 + 前馈网络，各带残差与归一化
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = AddNorm(d_model, dropout, norm_first)
        self.norm2 = AddNorm(d_model, dropout, norm_first)

    def forward(self, x, mask=None):
        def attention(h):
            out, _ = self.self_attn(h, h, h, mask)
            return out

        x = self.norm1(x, attention)
        x = self.norm2(x, lambda h: 0.5 * self.feed_forward(h))
        return x
