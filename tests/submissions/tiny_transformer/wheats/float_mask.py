# style: 0/1 masks in floating point, multiplied
import torch
from torch import nn
from encoder import TransformerEncoder


class TinyTransformer(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, max_len=512,
                 dropout=0.0, causal=True, pad_id=0, norm_first=True):
        super().__init__()
        self.pad_id = pad_id
        self.causal = causal
        self.encoder = TransformerEncoder(vocab_size, d_model, num_heads, d_ff, num_layers, dropout,
                                          max_len, pad_id, norm_first)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, token_ids):
        mask = (token_ids != self.pad_id).float()[:, None, None, :]
        if self.causal:
            size = token_ids.shape[1]
            mask = mask * torch.ones(size, size, device=token_ids.device).tril()
        return self.output_projection(self.encoder(token_ids, mask))
