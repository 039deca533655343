# style: triangles are kept by length and device
import torch
from torch import nn
from encoder import TransformerEncoder


class TinyTransformer(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, max_len=512,
                 dropout=0.0, causal=True, pad_id=0, norm_first=True):
        super().__init__()
        self.pad_id, self.causal = pad_id, causal
        self._triangles = {}
        self.encoder = TransformerEncoder(vocab_size, d_model, num_heads, d_ff, num_layers, dropout,
                                          max_len, pad_id, norm_first)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def triangle(self, size, device):
        key = (size, str(device))
        if key not in self._triangles:
            self._triangles[key] = torch.tril(torch.ones(size, size, device=device)).bool()
        return self._triangles[key]

    def forward(self, token_ids):
        real = (token_ids != self.pad_id).unsqueeze(1).unsqueeze(2)
        if self.causal:
            real = torch.logical_and(real, self.triangle(token_ids.shape[1], token_ids.device))
        h = self.encoder(token_ids, real)
        return self.output_projection(h)
