# style: the projection written as a product
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
        self.output_projection = nn.Linear(d_model, vocab_size)
        nn.init.normal_(self.output_projection.weight, std=0.02)
        nn.init.zeros_(self.output_projection.bias)
        self.encoder = TransformerEncoder(vocab_size, d_model, num_heads, d_ff, num_layers, dropout,
                                          max_len, pad_id, norm_first)

    def forward(self, token_ids):
        mask = padding_mask(token_ids, self.pad_id)
        mask = combine_masks(mask, causal_mask(token_ids.shape[1], token_ids.device)) if self.causal else mask
        h = self.encoder(token_ids, mask)
        return torch.einsum("bsd,vd->bsv", h, self.output_projection.weight) + self.output_projection.bias
