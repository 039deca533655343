# fault: parameter-names
# line: 25
# what: the prototype stays registered beside its copies
import copy
import math

import torch.nn as nn

from encoder_block import EncoderBlock
from layer_norm import LayerNorm
from masks import padding_mask
from positional_encoding import SinusoidalPositionalEncoding


def clones(module, n):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(n)])


class TransformerEncoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers,
                 dropout=0.1, max_len=5000, pad_id=0, norm_first=False):
        super(TransformerEncoder, self).__init__()
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, max_len, dropout)
        self.layer = EncoderBlock(d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = clones(self.layer, num_layers)
        if norm_first:
            self.norm = LayerNorm(d_model)
        self.d_model = d_model
        self.pad_id = pad_id

    def embed(self, ids):
        return self.positional_encoding(self.embedding(ids) * math.sqrt(self.d_model))

    def forward(self, token_ids, mask=None):
        "Pass the input and the mask through each layer in turn."
        mask = padding_mask(token_ids, self.pad_id) if mask is None else mask
        x = self.embed(token_ids)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) if hasattr(self, "norm") else x
