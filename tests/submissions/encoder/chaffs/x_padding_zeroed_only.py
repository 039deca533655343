# fault: padding-zeroed-not-masked
# line: 30
# what: zeroes the padded embeddings: a zero key still gets weight
import math

import torch
from torch import Tensor, nn

from encoder_block import EncoderBlock
from layer_norm import LayerNorm
from masks import padding_mask
from positional_encoding import SinusoidalPositionalEncoding


class TransformerEncoder(nn.Module):
    def __init__(self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
                 dropout: float = 0.1, max_len: int = 5000, pad_id: int = 0, norm_first: bool = False):
        super().__init__()
        self.d_model, self.pad_id, self.norm_first = d_model, pad_id, norm_first
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList([EncoderBlock(d_model, num_heads, d_ff, dropout, norm_first)
                                     for _ in range(num_layers)])
        if norm_first:
            self.add_module("norm", LayerNorm(d_model))

    def forward(self, token_ids: Tensor, mask: Tensor | None = None) -> Tensor:
        padded = token_ids == self.pad_id
        hidden = self.positional_encoding(self.embedding(token_ids) * math.sqrt(self.d_model))
        hidden = hidden.masked_fill(padded.unsqueeze(-1), 0.0)
        stack = iter(self.layers)
        while (layer := next(stack, None)) is not None:
            hidden = layer(hidden, mask)
        if self.norm_first:
            hidden = self.norm(hidden)
        return hidden.masked_fill(padded.unsqueeze(-1), 0.0)
