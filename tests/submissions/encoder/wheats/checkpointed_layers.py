# style: each layer is recomputed in the backward pass
import math
import torch
from encoder_block import EncoderBlock
from masks import padding_mask
from positional_encoding import SinusoidalPositionalEncoding
from torch import nn
from torch.utils.checkpoint import checkpoint


class Layers(nn.ModuleList):
    def forward(self, x, mask):
        def go(i, h):
            return h if i == len(self) else go(i + 1, checkpoint(self[i], h, mask, use_reentrant=False))
        return go(0, x)


class TransformerEncoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, dropout=0.1, max_len=5000, pad_id=0, norm_first=False):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, max_len=max_len, dropout=dropout)
        self.layers = Layers(EncoderBlock(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first) for _ in range(num_layers))
        if norm_first:
            self.add_module("norm", nn.LayerNorm(d_model))
        self.pad_id = pad_id

    def forward(self, token_ids, mask=None):
        keep = padding_mask(token_ids, pad_id=self.pad_id) if mask is None else mask
        x = self.positional_encoding(math.sqrt(self.embedding.embedding_dim) * self.embedding(token_ids))
        x = self.layers(x, keep)
        return getattr(self, "norm", nn.Identity())(x)
