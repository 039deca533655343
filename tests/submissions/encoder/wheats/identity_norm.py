# style: Identity as the final norm in post-LN, ids flattened before the lookup, extend
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
        self.root = d_model ** 0.5
        self.pad = pad_id
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, dropout=dropout, max_len=max_len)
        self.layers = nn.ModuleList([])
        self.layers.extend(EncoderBlock(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers))
        self.norm = {True: lambda: LayerNorm(d_model), False: nn.Identity}[norm_first]()

    def forward(self, token_ids, mask=None):
        flat = token_ids.reshape(-1)
        x = self.embedding(flat).reshape(*token_ids.shape, -1) * self.root
        x = self.positional_encoding(x)
        if mask is None:
            mask = torch.logical_not(torch.eq(token_ids, self.pad)).unsqueeze(1).unsqueeze(2)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)
