# style: a (B, S, S) mask from positions compared
import torch
import torch.nn as nn
from encoder import TransformerEncoder


class TinyTransformer(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, max_len=512,
                 dropout=0.0, causal=True, pad_id=0, norm_first=True):
        super().__init__()
        self.pad_id = pad_id
        self.causal = causal
        self.encoder = TransformerEncoder(vocab_size, d_model, num_heads, d_ff, num_layers,
                                          dropout, max_len, pad_id, norm_first)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def build_mask(self, token_ids):
        B, S = token_ids.shape
        keep = token_ids.ne(self.pad_id)[:, None, :].expand(B, S, S)
        if self.causal:
            i = torch.arange(S, device=token_ids.device)
            keep = keep & (i[None, :] <= i[:, None])
        return keep

    def forward(self, token_ids):
        return self.output_projection(self.encoder(token_ids, self.build_mask(token_ids)))
