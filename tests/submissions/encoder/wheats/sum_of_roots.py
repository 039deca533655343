# style: scaled weight in the lookup, mask expanded to all heads, while loop with an iterator
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
        self.heads = num_heads

    def forward(self, token_ids, mask=None):
        table = self.embedding.weight * math.sqrt(self.embedding.weight.size(1))
        x = self.positional_encoding(table[token_ids])
        if mask is None:
            B, S = token_ids.size()
            mask = padding_mask(token_ids, pad_id=self.pad_id).expand(B, self.heads, S, S)
        blocks = iter(self.layers)
        while (block := next(blocks, None)) is not None:
            x = block(x, mask)
        return self.norm(x) if hasattr(self, "norm") else x
