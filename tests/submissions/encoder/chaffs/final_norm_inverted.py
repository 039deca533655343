# fault: final-norm-order-swapped
# line: 34
# what: the final norm stands in the wrong order only
from torch import nn

import encoder_block
import masks
import positional_encoding


class _Stack(nn.Module):
    def __init__(self, blocks, final_norm):
        super().__init__()
        self.layers = nn.ModuleList(blocks)
        if final_norm is not None:
            self.norm = final_norm
        self.has_norm = final_norm is not None

    def run_stack(self, x, mask):
        for block in self.layers:
            x = block(x, mask)
        if self.has_norm:
            x = self.norm(x)
        return x


class TransformerEncoder(_Stack):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers,
                 dropout=0.1, max_len=5000, pad_id=0, norm_first=False):
        blocks = []
        for _ in range(num_layers):
            block = encoder_block.EncoderBlock(d_model, num_heads, d_ff, dropout, norm_first)
            blocks.append(block)
        super().__init__(blocks, None if norm_first else nn.LayerNorm(d_model))
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = positional_encoding.SinusoidalPositionalEncoding(
            d_model, max_len, dropout)
        self.scale = d_model ** 0.5
        self.pad_id = pad_id

    def forward(self, token_ids, mask=None):
        if mask is None:
            mask = masks.padding_mask(token_ids, pad_id=self.pad_id)
        x = self.embedding(token_ids)
        x = x * self.scale
        x = self.positional_encoding(x)
        return self.run_stack(x, mask)
