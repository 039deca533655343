# style: without causal the encoder makes its own padding mask
import torch
from torch import nn
from encoder import TransformerEncoder
import masks


class TinyTransformer(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, max_len=512,
                 dropout=0.0, causal=True, pad_id=0, norm_first=True):
        super().__init__()
        self.causal, self.pad_id = causal, pad_id
        self.encoder = TransformerEncoder(vocab_size, d_model, num_heads, d_ff, num_layers, dropout, max_len, pad_id, norm_first)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, token_ids):
        mask = None
        if self.causal:
            past = masks.causal_mask(token_ids.shape[-1], device=token_ids.device)
            mask = masks.padding_mask(token_ids, self.pad_id) & past
        hidden = self.encoder(token_ids, mask)
        logits = self.output_projection(hidden)
        return logits
