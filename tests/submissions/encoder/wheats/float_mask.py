# style: the padding mask as full (B, S, S) float ones and zeros, ids looked up with F.embedding
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
        B, S = token_ids.shape
        h = torch.nn.functional.embedding(token_ids, self.embedding.weight) * self.embedding.weight.shape[1] ** 0.5
        if mask is None:
            mask = (token_ids != self.pad_id).float().unsqueeze(1).repeat(1, S, 1)
        h = self.positional_encoding(h)
        for i in range(self.num_layers):
            h = self.layers[i](h, mask)
        if "norm" in dict(self.named_children()):
            h = self.norm(h)
        return h
