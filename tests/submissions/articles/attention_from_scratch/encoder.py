import torch.nn as nn

from encoder_block import EncoderBlock
from positional_encoding import SinusoidalPositionalEncoding


class TransformerEncoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers,
                 dropout=0.1, max_len=5000, pad_id=0, norm_first=False):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, max_len=max_len)
        self.layers = nn.ModuleList([
            EncoderBlock(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)
        ])
        self.norm = nn.LayerNorm(d_model)

    def forward(self, token_ids, mask=None):
        x = self.embedding(token_ids)        # (batch, seq_len, d_model)
        x = self.positional_encoding(x)
        for layer in self.layers:
            x = layer(x)
        x = self.norm(x)
        return x
