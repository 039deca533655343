# style: the encoder is given its mask by a subclass
import torch
from torch import nn
from encoder import TransformerEncoder
from masks import causal_mask, padding_mask


class CausalEncoder(TransformerEncoder):
    def __init__(self, *args, causal, pad_id, **kwargs):
        super().__init__(*args, pad_id=pad_id, **kwargs)
        self.causal = causal
        self.padding = pad_id

    def forward(self, token_ids):
        mask = padding_mask(token_ids, self.padding)
        if self.causal:
            mask = mask & causal_mask(token_ids.shape[1], token_ids.device)
        return super().forward(token_ids, mask)


class TinyTransformer(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, max_len=512,
                 dropout=0.0, causal=True, pad_id=0, norm_first=True):
        super().__init__()
        self.encoder = CausalEncoder(vocab_size, d_model, num_heads, d_ff, num_layers, dropout=dropout,
                                     max_len=max_len, norm_first=norm_first, causal=causal, pad_id=pad_id)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, token_ids):
        return self.output_projection(self.encoder(token_ids))
