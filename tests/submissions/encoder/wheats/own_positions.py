# style: positional encoding made without dropout and dropped here; norm in a ModuleDict-free branch
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
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, max_len)
        self.layers = nn.ModuleList(EncoderBlock(d_model, num_heads, d_ff, norm_first=norm_first, dropout=dropout) for _ in range(num_layers))
        self.config = dict(pad=pad_id, root=math.sqrt(d_model), rate=dropout)
        if norm_first is True:
            self.norm = LayerNorm(d_model)
        self.after = "norm" if norm_first else None

    def forward(self, token_ids, mask=None):
        x = self.embedding.forward(token_ids).mul_(self.config["root"])
        x = self.positional_encoding(x)
        if self.training:
            x = nn.functional.dropout(x, self.config["rate"])
        if mask is None:
            mask = (token_ids - self.config["pad"]).bool()[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        if self.after is None:
            return x
        return self._modules[self.after](x)
