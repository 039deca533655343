# fault: padding-mask-over-batch
# line: 27
# what: one padding mask for the whole batch: a key is hidden when it is padding anywhere
import torch
import torch.nn.functional as F
from torch import nn

from encoder_block import EncoderBlock
from layer_norm import LayerNorm
from positional_encoding import SinusoidalPositionalEncoding


class TransformerEncoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers,
                 dropout=0.1, max_len=5000, pad_id=0, norm_first=False):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(EncoderBlock(d_model, num_heads, d_ff, dropout, norm_first))
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, token_ids, mask=None):
        if mask is None:
            mask = token_ids.ne(self.pad_id).all(0).expand(1, 1, 1, -1)
        w = self.embedding.weight
        h = F.embedding(token_ids, w) * (w.size(1) ** 0.5)
        h = self.positional_encoding(h)
        for block in self.layers:
            h = block(h, mask=mask)
        return self.norm(h)
