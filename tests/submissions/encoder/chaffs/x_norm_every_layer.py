# fault: final-norm-in-every-layer
# line: 39
# what: the final norm runs after every layer
import math
import torch
import torch.nn as nn

from encoder_block import EncoderBlock
from positional_encoding import SinusoidalPositionalEncoding


class TransformerEncoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers,
                 dropout=0.1, max_len=5000, pad_id=0, norm_first=False):
        super().__init__()
        self.vocab_size, self.d_model = vocab_size, d_model
        self.pad_id, self.norm_first = pad_id, norm_first
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            [EncoderBlock(d_model, num_heads, d_ff, dropout, norm_first) for i in range(num_layers)])
        if norm_first:
            self.norm = nn.LayerNorm(d_model)

    def make_mask(self, token_ids):
        real = (token_ids != self.pad_id).long()               # (B, S)
        S = real.shape[1]
        return real[:, None, :].repeat(1, S, 1)                # (B, S, S)

    def forward(self, token_ids, mask=None):
        if mask is None:
            mask = self.make_mask(token_ids)
        one_hot = nn.functional.one_hot(token_ids, self.vocab_size)
        x = one_hot.to(self.embedding.weight.dtype) @ self.embedding.weight
        x = x * math.sqrt(self.d_model)
        x = self.positional_encoding(x)
        for i in range(len(self.layers)):
            x = self.layers[i](x, mask)
            if self.norm_first: x = self.norm(x)
        return x
