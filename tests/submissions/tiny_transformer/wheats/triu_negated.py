# style: the hidden positions are marked and then turned over
import torch
from torch import nn
from encoder import TransformerEncoder


def hidden_positions(token_ids, pad_id, causal):
    S = token_ids.size(1)
    hidden = (token_ids == pad_id)[:, None, None, :]
    if causal:
        future = torch.triu(torch.ones((S, S), dtype=torch.bool, device=token_ids.device), diagonal=1)
        hidden = hidden | future
    return hidden


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
        mask = ~hidden_positions(token_ids, self.pad_id, self.causal)
        return self.output_projection(self.encoder(token_ids, mask))
