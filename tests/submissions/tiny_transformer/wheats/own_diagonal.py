# style: every position may see itself, so that no row is empty
import torch
from torch import nn
from encoder import TransformerEncoder
from masks import causal_mask, combine_masks, padding_mask


class TinyTransformer(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, max_len=512,
                 dropout=0.0, causal=True, pad_id=0, norm_first=True):
        super().__init__()
        self.pad_id = pad_id
        self.causal = causal
        self.encoder = TransformerEncoder(
            vocab_size=vocab_size, d_model=d_model, num_heads=num_heads, d_ff=d_ff, num_layers=num_layers,
            dropout=dropout, max_len=max_len, pad_id=pad_id, norm_first=norm_first)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, token_ids):
        S = token_ids.shape[1]
        padding = padding_mask(token_ids, self.pad_id)
        if self.causal:
            mask = combine_masks(padding, causal_mask(S, token_ids.device))
        else:
            mask = padding
        # a padded position looks at itself; what comes of it is read by nobody
        mask = mask | torch.eye(S, dtype=torch.bool, device=token_ids.device)
        return self.output_projection(self.encoder(token_ids, mask))
