# style: zeros at padded positions at the end and after each layer
import math

import torch
from torch import nn

from encoder_block import EncoderBlock
from layer_norm import LayerNorm
from masks import padding_mask
from positional_encoding import SinusoidalPositionalEncoding


class TransformerEncoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers,
                 dropout=0.1, max_len=5000, pad_id=0, norm_first=False):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList([EncoderBlock(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)])
        self.num_layers = num_layers
        if norm_first:
            self.norm = nn.LayerNorm(d_model, eps=1e-6)

    def forward(self, token_ids, mask=None):
        real = token_ids != self.pad_id
        if mask is None:
            mask = real.view(token_ids.size(0), 1, 1, token_ids.size(1))
            clean = lambda t: t * real.unsqueeze(-1).to(t.dtype)
        else:
            clean = lambda t: t
        x = math.sqrt(self.embedding.embedding_dim) * self.embedding(token_ids)
        x = self.positional_encoding(x)
        for layer in self.layers:
            x = clean(layer(x, mask))
        if hasattr(self, "norm"):
            x = self.norm(x)
        return clean(x)
