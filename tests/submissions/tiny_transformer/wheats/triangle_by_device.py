# style: the triangle is kept, and made anew on another device
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

    def _cm(self, ids):
        if getattr(self, "_m", None) is not None and self._m.device != ids.device:
            self._m = None
        if getattr(self, "_m", None) is None or self._m.size(0) < ids.size(1):
            self._m = causal_mask(ids.size(1), ids.device)
        return self._m[: ids.size(1), : ids.size(1)]

    def forward(self, token_ids):
        mask = padding_mask(token_ids, self.pad_id)
        if self.causal:
            mask = combine_masks(mask, self._cm(token_ids))
        return self.output_projection(self.encoder(token_ids, mask))

