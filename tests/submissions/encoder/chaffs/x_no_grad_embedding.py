# fault: embedding-not-trained
# line: 33
# what: .data: the embedding gets no gradient
import math
import torch.nn as nn
import torch.nn.functional as F

from encoder_block import EncoderBlock
from positional_encoding import SinusoidalPositionalEncoding


class TransformerEncoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers,
                 dropout=0.1, max_len=5000, pad_id=0, norm_first=False):
        super().__init__()
        self.cfg = dict(d_model=d_model, pad_id=pad_id, norm_first=norm_first)
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList()
        self.layers.extend(EncoderBlock(d_model, num_heads, d_ff, dropout, norm_first)
                           for _ in range(num_layers))
        if norm_first:
            self.norm = nn.LayerNorm(d_model)

    def run(self, x, mask, depth):
        if depth == 0:
            return x
        return self.layers[depth - 1](self.run(x, mask, depth - 1), mask)

    def forward(self, token_ids, mask=None):
        if mask is None:
            mask = (token_ids != self.cfg["pad_id"]).float()[:, None, None, :]
        scaled = self.embedding.weight.data * math.sqrt(self.cfg["d_model"])
        x = self.positional_encoding(F.embedding(token_ids, scaled))
        x = self.run(x, mask, len(self.layers))
        return self.norm(x) if self.cfg["norm_first"] else x
