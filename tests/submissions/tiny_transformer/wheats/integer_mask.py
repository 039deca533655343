# style: integers, and a minimum of the two masks
import torch
from torch import nn
from encoder import TransformerEncoder


class TinyTransformer(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, max_len=512,
                 dropout=0.0, causal=True, pad_id=0, norm_first=True):
        super().__init__()
        self.settings = dict(causal=causal, pad_id=pad_id)
        self.encoder = TransformerEncoder(vocab_size, d_model, num_heads, d_ff, num_layers, dropout,
                                          max_len, pad_id, norm_first)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, token_ids):
        S = token_ids.shape[1]
        padding = (token_ids != self.settings["pad_id"]).long()[:, None, None, :]
        past = token_ids.new_ones(S, S)
        if self.settings["causal"]:
            past = past.tril()
        return self.output_projection(self.encoder(token_ids, torch.minimum(padding, past)))
