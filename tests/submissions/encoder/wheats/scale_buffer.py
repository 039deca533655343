# style: the scale as a non-persistent buffer, padding_idx set, no dropout at the embeddings
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
        self.register_buffer("scale", torch.tensor(float(d_model)).sqrt(), persistent=False)
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, max_len=max_len)
        self.layers = nn.ModuleList()
        while len(self.layers) < num_layers:
            self.layers.append(EncoderBlock(d_model, num_heads, d_ff, dropout, norm_first=norm_first))
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(self, token_ids, mask=None):
        x = self.embedding(token_ids).mul(self.scale)
        x = self.positional_encoding(x)
        keep = token_ids.ne(self.pad_id)[:, None, :] if mask is None else mask
        for block in self.layers:
            x = block(x, keep)
        return self.norm(x) if self.norm is not None else x
