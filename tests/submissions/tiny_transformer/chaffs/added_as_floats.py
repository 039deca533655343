# fault: combine-with-or
# line: 20
# what: the masks are added as numbers
import torch
from encoder import TransformerEncoder
from masks import causal_mask, combine_masks, padding_mask
from torch import nn


class TinyTransformer(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, max_len=512, dropout=0.0, causal=True, pad_id=0, norm_first=True):
        super().__init__()
        self.causal, self.pad_id = causal, pad_id
        self.encoder = TransformerEncoder(vocab_size, d_model, num_heads, d_ff, num_layers, dropout=dropout, max_len=max_len, pad_id=pad_id, norm_first=norm_first)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, token_ids):
        mask = padding_mask(token_ids, self.pad_id)
        if self.causal:
            mask = mask.float() + causal_mask(token_ids.size(1), token_ids.device).float()
        return self.output_projection(self.encoder(token_ids, mask))

