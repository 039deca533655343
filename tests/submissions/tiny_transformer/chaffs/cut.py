# fault: logits-cut
# line: 33
# what: the last position is left out, as in the loss
import torch
import torch.nn as nn
from encoder import TransformerEncoder


class TinyTransformer(nn.Module):
    """A decoder-only language model."""

    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, max_len=512,
                 dropout=0.0, causal=True, pad_id=0, norm_first=True):
        super().__init__()
        self.pad_id = pad_id
        self.causal = causal
        self.encoder = TransformerEncoder(vocab_size, d_model, num_heads, d_ff, num_layers,
                                          dropout, max_len, pad_id, norm_first)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def make_mask(self, x):
        seq_len = x.size(1)
        keep = (x != self.pad_id).unsqueeze(1).unsqueeze(2)
        if self.causal:
            tri = torch.tril(torch.ones(seq_len, seq_len, device=x.device)).bool()
            keep = keep & tri
        return keep

    def forward(self, token_ids):
        mask = self.make_mask(token_ids)
        x = self.encoder(token_ids, mask=mask)
        logits = self.output_projection(x)
        return logits[:, :-1]
