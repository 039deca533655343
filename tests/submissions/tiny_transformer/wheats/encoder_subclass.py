# style: the encoder is a class of its own that makes the masks
import torch
from encoder import TransformerEncoder
from torch import nn


class _CausalEncoder(TransformerEncoder):
    causal = True

    def forward(self, token_ids, mask=None):
        if mask is None:
            keep = token_ids.ne(self.pad_id).unsqueeze(1)
            if self.causal:
                S = token_ids.size(1)
                keep = keep & torch.ones(S, S, dtype=torch.bool, device=token_ids.device).tril()
            mask = keep
        return super().forward(token_ids, mask)


class TinyTransformer(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, max_len=512, dropout=0.0, causal=True, pad_id=0, norm_first=True):
        super().__init__()
        self.encoder = _CausalEncoder(vocab_size, d_model, num_heads, d_ff, num_layers, dropout, max_len, pad_id, norm_first)
        self.encoder.causal = causal
        self.output_projection = nn.Linear(d_model, vocab_size, bias=True)

    def forward(self, token_ids):
        h = self.encoder(token_ids)
        return torch.stack([self.output_projection(row) for row in h])
