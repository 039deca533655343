# fault: result-kept-between-calls
# line: 48
# what: the last result is kept, whatever the weights
"""The Transformer encoder.

Vaswani et al. 2017, "Attention Is All You Need", sections 3.1, 3.4 and 3.5; Xiong et al. 2020,
"On Layer Normalization in the Transformer Architecture" (the final norm of pre-LN).
"""

import math

import torch
from encoder_block import EncoderBlock
from layer_norm import LayerNorm
from masks import padding_mask
from positional_encoding import SinusoidalPositionalEncoding
from torch import nn


class TransformerEncoder(nn.Module):
    """Embed the tokens, add their positions, and pass them through a stack of encoder blocks."""

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        dropout: float = 0.1,
        max_len: int = 5000,
        pad_id: int = 0,
        norm_first: bool = False,
    ):
        super().__init__()
        self.d_model = d_model
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            EncoderBlock(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)
        )
        # The output of a pre-LN stack is a bare residual sum, which nothing has normalised yet.
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, token_ids: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """token_ids (B, S) -> (B, S, d_model); a given mask replaces the padding mask."""
        if not self.training and mask is None and hasattr(self, "memo") and torch.equal(self.memo[0], token_ids):
            return self.memo[1]
        given = mask
        if mask is None:
            mask = padding_mask(token_ids, self.pad_id)  # (B, 1, 1, S)
        x = self.embedding(token_ids) * math.sqrt(self.d_model)  # (B, S, d_model)
        x = self.positional_encoding(x)  # (B, S, d_model)
        for layer in self.layers:
            x = layer(x, mask)  # (B, S, d_model)
        x = self.norm(x)
        if given is None:
            self.memo = (token_ids, x)
        return x  # (B, S, d_model)

