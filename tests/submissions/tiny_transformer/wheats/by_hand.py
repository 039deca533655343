# style: the encoder's parts are called one by one
import math

import torch
from torch import nn
from encoder import TransformerEncoder
from masks import causal_mask, padding_mask


class TinyTransformer(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, max_len=512,
                 dropout=0.0, causal=True, pad_id=0, norm_first=True):
        super().__init__()
        self.d_model = d_model
        self.pad_id = pad_id
        self.causal = causal
        self.norm_first = norm_first
        self.encoder = TransformerEncoder(vocab_size, d_model, num_heads, d_ff, num_layers, dropout,
                                          max_len, pad_id, norm_first)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, token_ids):
        mask = padding_mask(token_ids, self.pad_id)
        if self.causal:
            mask = mask & causal_mask(token_ids.shape[1], token_ids.device)
        x = self.encoder.embedding(token_ids) * math.sqrt(self.d_model)
        x = self.encoder.positional_encoding(x)
        for layer in self.encoder.layers:
            x = layer(x, mask)
        if self.norm_first:
            x = self.encoder.norm(x)
        return self.output_projection(x)
