# style: the triangle of max_len is kept in a buffer that is not saved, and cut to size
import torch
from torch import nn
from encoder import TransformerEncoder
from masks import padding_mask


class TinyTransformer(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, max_len=512,
                 dropout=0.0, causal=True, pad_id=0, norm_first=True):
        super().__init__()
        self.pad_id = pad_id
        triangle = torch.ones(max_len, max_len, dtype=torch.bool)
        if causal:
            triangle = torch.tril(triangle)
        self.register_buffer("visible", triangle, persistent=False)
        self.encoder = TransformerEncoder(vocab_size, d_model, num_heads, d_ff, num_layers,
                                          max_len=max_len, dropout=dropout, norm_first=norm_first, pad_id=pad_id)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, token_ids):
        S = token_ids.size(1)
        mask = padding_mask(token_ids, pad_id=self.pad_id) & self.visible[:S, :S]
        return self.output_projection(self.encoder(token_ids, mask))
