# fault: forbidden-api
# line: 18
# what: nn.TransformerEncoder
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
        self.embedding = nn.Embedding(vocab_size, d_model)
        layer = nn.TransformerEncoderLayer(d_model, num_heads, d_ff, dropout, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, token_ids):
        S = token_ids.shape[1]
        mask = padding_mask(token_ids, self.pad_id)
        if self.causal:
            mask = combine_masks(mask, causal_mask(S, device=token_ids.device))
        hidden = self.encoder(self.embedding(token_ids))
        return self.output_projection(hidden)
