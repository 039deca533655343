# style: columns of padding are cut off, and put back
import math
import torch
import torch.nn.functional as F
from encoder_block import EncoderBlock
from layer_norm import LayerNorm
from masks import padding_mask
from positional_encoding import SinusoidalPositionalEncoding
from torch import nn


class TransformerEncoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, dropout=0.1, max_len=5000, pad_id=0, norm_first=False):
        super().__init__()
        self.d_model = d_model
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList([EncoderBlock(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)])
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(self, token_ids, mask=None):
        full = token_ids.size(1)
        if mask is None:
            real = (token_ids != self.pad_id).any(0).nonzero()
            keep = int(real.max()) + 1 if real.numel() else full
            token_ids = token_ids[:, :keep]
        if mask is None:
            mask = padding_mask(token_ids, self.pad_id)
        x = self.embedding(token_ids) * math.sqrt(self.d_model)
        x = self.positional_encoding(x)
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return F.pad(x, (0, 0, 0, full - x.size(1)))

