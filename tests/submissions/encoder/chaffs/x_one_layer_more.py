# fault: layers-too-many
# line: 22
# what: one layer too many
import math

import torch
import torch.nn as nn

from encoder_block import EncoderBlock
from masks import padding_mask
from positional_encoding import SinusoidalPositionalEncoding


class TransformerEncoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers,
                 dropout=0.1, max_len=5000, pad_id=0, norm_first=False):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList([])
        while len(self.layers) <= num_layers:
            self.layers.append(EncoderBlock(d_model, num_heads, d_ff, dropout, norm_first))
        self.final = ["norm"] if norm_first else []
        for name in self.final:
            setattr(self, name, nn.LayerNorm(d_model))
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def forward(self, token_ids, mask=None):
        if mask is None:
            S = token_ids.size(1)
            mask = padding_mask(token_ids, self.pad_id).expand(-1, -1, S, -1)
        x = self.embedding.weight[token_ids]
        x = self.positional_encoding(x * math.sqrt(x.size(-1)))
        for layer in self.layers:
            x = layer(x, mask)
        for name in self.final:
            x = getattr(self, name)(x)
        return x
