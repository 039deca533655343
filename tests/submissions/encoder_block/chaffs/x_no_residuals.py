# fault: residual-missing-attention, residual-missing-ffn
# line: 46
# what: no skip connection at all
import torch
from torch import nn

from layer_norm import LayerNorm
from multi_head_attention import MultiHeadAttention


class FeedForward(nn.Module):
    """d_model -> d_ff -> d_model, the same for every position."""

    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1 = nn.Linear(in_features=d_model, out_features=d_ff)
        self.linear2 = nn.Linear(in_features=d_ff, out_features=d_model)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x):
        x = torch.relu(self.linear1(x))     # (B, S, d_ff)
        return self.linear2(self.dropout(x))  # (B, S, d_model)


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model=d_model, num_heads=num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model=d_model, d_ff=d_ff, dropout=dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.attn_dropout = nn.Dropout(p=dropout)
        self.ffn_dropout = nn.Dropout(p=dropout)
        self.order = "pre" if norm_first else "post"
        self.last_weights = None

    def attention(self, x, mask):
        output, weights = self.self_attn(x, x, x, mask=mask)
        self.last_weights = weights.detach()
        return self.attn_dropout(output)

    def ffn(self, x):
        return self.ffn_dropout(self.feed_forward(x))

    def forward_pre(self, x, mask):
        x = self.attention(self.norm1(x), mask)
        return self.ffn(self.norm2(x))

    def forward_post(self, x, mask):
        x = self.norm1(self.attention(x, mask))
        return self.norm2(self.ffn(x))

    def forward(self, x, mask=None):
        return getattr(self, f"forward_{self.order}")(x, mask)
