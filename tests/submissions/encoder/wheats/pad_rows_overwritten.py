# style: padded embeddings zeroed as well as masked, torch.sqrt of a tensor
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
        self.d_model = d_model

    def forward(self, token_ids, mask=None):
        pad = token_ids == self.pad_id
        x = self.embedding(token_ids) * torch.sqrt(torch.tensor(self.d_model, device=token_ids.device)).item()
        x = self.positional_encoding(x)
        if mask is None:
            mask = ~pad[:, None, None, :]
            x = x.masked_fill(pad.unsqueeze(-1), 0)
        for i, _ in enumerate(self.layers):
            x = self.layers[i].forward(x, mask)
        if self.layers and not hasattr(self, "norm"):
            return x
        return self.norm(x) if hasattr(self, "norm") else x
