# style: padded queries see nothing either
import torch
from torch import nn
from encoder import TransformerEncoder


class TinyTransformer(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, max_len=512,
                 dropout=0.0, causal=True, pad_id=0, norm_first=True):
        super().__init__()
        self.pad_id = pad_id
        self.causal = causal
        self.encoder = TransformerEncoder(vocab_size, d_model, num_heads, d_ff, num_layers, dropout,
                                          max_len, pad_id, norm_first)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, token_ids):
        real = token_ids != self.pad_id
        mask = real[:, :, None] & real[:, None, :]
        if self.causal:
            mask = mask.tril()
        return self.output_projection(self.encoder(token_ids, mask[:, None]))
