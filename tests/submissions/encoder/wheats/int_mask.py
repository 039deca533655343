# style: the padding mask as 0/1 integers, positions added from pe by hand with its own check
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
        S, longest = token_ids.shape[1], self.positional_encoding.pe.shape[1]
        if S > longest:
            raise ValueError(f"{S} tokens, but max_len is {longest}")
        if mask is None:
            mask = torch.where(token_ids == self.pad_id, 0, 1)[:, None, None]
        x = self.embedding(token_ids)
        x = x * x.new_tensor(x.size(-1)).sqrt()
        x = torch.nn.functional.dropout(x + self.positional_encoding.pe[:, :S], self.positional_encoding.dropout.p, self.training)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) if self.layers and hasattr(self, "norm") else (self.norm(x) if hasattr(self, "norm") else x)
