# fault: embedding-added-again
# line: 30
# what: adds the embeddings once more at the end
from functools import reduce

import torch.nn as nn

from encoder_block import EncoderBlock
from masks import padding_mask
from positional_encoding import SinusoidalPositionalEncoding


class TransformerEncoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers,
                 dropout=0.1, max_len=5000, pad_id=0, norm_first=False):
        super().__init__()
        self.scale = d_model ** 0.5
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, max_len=max_len, dropout=dropout)
        blocks = (EncoderBlock(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first)
                  for _ in range(num_layers))
        self.layers = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(d_model) if norm_first else None

    def forward(self, token_ids, mask=None):
        keep = padding_mask(token_ids, self.pad_id) if mask is None else mask
        start = self.positional_encoding(self.scale * self.embedding(token_ids))
        out = reduce(lambda h, block: block(h, keep), self.layers, start)
        out = out + start
        return out if self.norm is None else self.norm(out)
