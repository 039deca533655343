# style: dropout once more before the projection, and a mask for each head
import torch
from torch import nn
from encoder import TransformerEncoder


class TinyTransformer(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, max_len=512,
                 dropout=0.0, causal=True, pad_id=0, norm_first=True):
        super().__init__()
        self.pad_id = pad_id
        self.causal = causal
        self.num_heads = num_heads
        self.encoder = TransformerEncoder(vocab_size, d_model, num_heads, d_ff, num_layers, dropout,
                                          max_len, pad_id, norm_first)
        self.drop = nn.Dropout(dropout)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, token_ids):
        B, S = token_ids.shape
        mask = (token_ids != self.pad_id).view(B, 1, 1, S).repeat(1, self.num_heads, S, 1)
        if self.causal:
            mask = torch.tril(mask)
        return self.output_projection(self.drop(self.encoder(token_ids, mask)))
