# fault: padding-mask-masks-queries
# line: 34
# what: forbids padded queries, not padded keys
import torch
from torch import nn

from encoder_block import EncoderBlock
from positional_encoding import SinusoidalPositionalEncoding


class TransformerEncoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers,
                 dropout=0.1, max_len=5000, pad_id=0, norm_first=False):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, max_len)
        self.layers = nn.ModuleList(
            EncoderBlock(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first)
            for _ in range(num_layers)
        )
        self.norm_first = norm_first
        if norm_first:
            self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.root = torch.tensor(d_model, dtype=torch.float64).sqrt().item()
        self.pad_id = pad_id

    def forward(self, token_ids, mask=None):
        B, S = token_ids.shape
        pe = self.positional_encoding.pe
        if S > pe.size(1):
            raise ValueError(f"{S} tokens are more than max_len = {pe.size(1)}")
        if mask is None:
            mask = (token_ids != self.pad_id).view(B, 1, S, 1)
        x = self.embedding(token_ids).mul(self.root).add(pe[:, :S])
        x = self.dropout(x)
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm_first:
            return self.norm(x)
        return x
