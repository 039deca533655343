# style: each sequence on its own
import torch
from torch import nn
from encoder import TransformerEncoder
from masks import causal_mask, combine_masks, padding_mask


class TinyTransformer(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, max_len=512,
                 dropout=0.0, causal=True, pad_id=0, norm_first=True):
        super().__init__()
        self.pad_id = pad_id
        self.causal = causal
        self.encoder = TransformerEncoder(vocab_size, d_model, num_heads, d_ff, num_layers, dropout,
                                          max_len, pad_id, norm_first)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def _one(self, ids):
        mask = padding_mask(ids, self.pad_id)
        if self.causal:
            mask = combine_masks(mask, causal_mask(ids.shape[1], ids.device))
        return self.output_projection(self.encoder(ids, mask))

    def forward(self, token_ids):
        return torch.cat([self._one(row) for row in token_ids.split(1)])
