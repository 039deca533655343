# fault: mask-axis-added
# line: 33
# what: given mask unsqueezed
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
        self.d_model = d_model
        self.pad_id = pad_id
        self.norm_first = norm_first
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(EncoderBlock(d_model, num_heads, d_ff, dropout, norm_first))
        if norm_first:
            self.norm = nn.LayerNorm(d_model)

    def forward(self, token_ids, mask=None):
        if mask is None:
            mask = padding_mask(token_ids, self.pad_id)
        else:
            mask = mask.unsqueeze(1)
        x = self.embedding(token_ids)
        x = x * math.sqrt(self.d_model)
        x = self.positional_encoding(x)
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm_first:
            x = self.norm(x)
        return x
