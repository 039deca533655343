# style: everything by keyword, deep copies with fresh parameters, a zip with repeat
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
        from copy import deepcopy
        block = EncoderBlock(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout, norm_first=norm_first)
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(num_layers))
        for p in self.layers.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(max_len=max_len, d_model=d_model, dropout=dropout)
        self.d_model, self.pad_id = d_model, pad_id
        self.norm = nn.LayerNorm(d_model, eps=1e-5) if norm_first else (lambda x: x)

    def forward(self, token_ids, mask=None):
        from itertools import repeat
        if mask is None:
            mask = padding_mask(token_ids=token_ids, pad_id=self.pad_id)
        x = self.positional_encoding(self.embedding(token_ids) * self.d_model**0.5)
        for layer, m in zip(self.layers, repeat(mask)):
            x = layer(x=x, mask=m)
        return self.norm(x)
