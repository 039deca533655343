# fault: mask-kept-between-calls
# line: 49
# what: the triangle stays behind on another device
"""A small language model: the encoder under a causal mask, and a projection to the vocabulary.

Vaswani et al. 2017, "Attention Is All You Need", sections 3.1, 3.2.3 and 3.4; Radford et al. 2018,
"Improving Language Understanding by Generative Pre-Training".
"""

import torch
from encoder import TransformerEncoder
from masks import causal_mask, combine_masks, padding_mask
from torch import nn


class TinyTransformer(nn.Module):
    """At each position, the logits of the token that follows it."""

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        max_len: int = 512,
        dropout: float = 0.0,
        causal: bool = True,
        pad_id: int = 0,
        norm_first: bool = True,
    ):
        super().__init__()
        self.causal = causal
        self.pad_id = pad_id
        self.encoder = TransformerEncoder(
            vocab_size,
            d_model,
            num_heads,
            d_ff,
            num_layers,
            dropout=dropout,
            max_len=max_len,
            pad_id=pad_id,
            norm_first=norm_first,
        )
        self.output_projection = nn.Linear(d_model, vocab_size)

    def _causal(self, ids):
        if not hasattr(self, "tril") or self.tril.size(0) != ids.size(1):
            self.tril = causal_mask(ids.size(1), device=ids.device)
        return self.tril

    def forward(self, token_ids: torch.Tensor) -> torch.Tensor:
        """token_ids (B, S) -> logits (B, S, vocab_size)."""
        mask = padding_mask(token_ids, self.pad_id)  # (B, 1, 1, S)
        if self.causal:
            # A given mask takes the place of the encoder's own, so that it has to hold both.
            causal = self._causal(token_ids)  # (S, S)
            mask = combine_masks(mask, causal)  # (B, 1, S, S)
        x = self.encoder(token_ids, mask)  # (B, S, d_model)
        return self.output_projection(x)  # (B, S, vocab_size)

