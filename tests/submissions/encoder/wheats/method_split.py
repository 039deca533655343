# style: forward in small methods, extra dropout of its own, layers through add_module
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
        self.width, self.pad_id, self.pre = d_model, pad_id, norm_first
        self.embedding = nn.Embedding(num_embeddings=vocab_size, embedding_dim=d_model)
        nn.init.normal_(self.embedding.weight, std=d_model ** -0.5)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model=d_model, max_len=max_len, dropout=0.0)
        self.embedding_dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList()
        for k in range(num_layers):
            block = EncoderBlock(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout, norm_first=norm_first)
            self.layers.add_module(str(k), block)
        if norm_first:
            self.add_module("norm", LayerNorm(d_model))

    def embed(self, ids):
        return self.embedding_dropout(self.positional_encoding(self.embedding(ids) * math.sqrt(self.width)))

    def visible(self, ids, mask):
        return mask if mask is not None else padding_mask(ids, self.pad_id)

    def encode(self, x, mask):
        for block in self.layers.children():
            x = block(x, mask)
        return x

    def forward(self, token_ids, mask=None):
        x = self.encode(self.embed(token_ids), self.visible(token_ids, mask))
        return self.norm(x) if self.pre else x
