# style: an Embedding subclass that scales by itself, a base class that holds the stack
import math

import torch
from torch import nn

from encoder_block import EncoderBlock
from layer_norm import LayerNorm
from masks import padding_mask
from positional_encoding import SinusoidalPositionalEncoding


class ScaledEmbedding(nn.Embedding):
    def forward(self, ids):
        return super().forward(ids) * self.embedding_dim**0.5


class TransformerEncoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers,
                 dropout=0.1, max_len=5000, pad_id=0, norm_first=False):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = ScaledEmbedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(EncoderBlock(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers))
        self.finish = [self._plain, self._normed][int(norm_first)]
        if norm_first:
            self.norm = LayerNorm(d_model)

    def _plain(self, x):
        return x

    def _normed(self, x):
        return self.norm(x)

    def forward(self, token_ids, mask=None):
        x = self.positional_encoding(self.embedding(token_ids))
        m = padding_mask(token_ids, self.pad_id) if mask is None else mask
        for layer in self.layers:
            x = layer(x, m)
        return self.finish(x)
