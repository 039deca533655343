# fault: causal-mask-in-one-mode
# line: 26
# what: only in training
import torch
from torch import nn

from encoder import TransformerEncoder
from masks import causal_mask, combine_masks, padding_mask


class TinyTransformer(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, max_len=512,
                 dropout=0.0, causal=True, pad_id=0, norm_first=True):
        super().__init__()
        self.causal = causal
        self.pad_id = pad_id
        self.encoder = TransformerEncoder(
            vocab_size, d_model, num_heads, d_ff, num_layers,
            dropout=dropout, max_len=max_len, pad_id=pad_id, norm_first=norm_first,
        )
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, token_ids):
        S = token_ids.shape[1]
        mask = padding_mask(token_ids, self.pad_id)
        if self.causal and self.training:
            mask = combine_masks(mask, causal_mask(S, device=token_ids.device))
        hidden = self.encoder(token_ids, mask)
        return self.output_projection(hidden)
