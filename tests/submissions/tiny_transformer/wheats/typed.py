# style: type hints, a module for the mask, keyword-only helper
from __future__ import annotations

import torch
from torch import Tensor, nn
from encoder import TransformerEncoder
from masks import causal_mask, combine_masks, padding_mask


class Visible(nn.Module):
    def __init__(self, *, causal: bool, pad_id: int) -> None:
        super().__init__()
        self.causal = causal
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        keys = padding_mask(ids, self.pad_id)
        if not self.causal:
            return keys
        return combine_masks(keys, causal_mask(ids.shape[1], ids.device))


class TinyTransformer(nn.Module):
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
    ) -> None:
        super().__init__()
        self.visible = Visible(causal=causal, pad_id=pad_id)
        self.encoder = TransformerEncoder(
            vocab_size, d_model, num_heads, d_ff, num_layers, dropout, max_len, pad_id, norm_first
        )
        self.output_projection = nn.Linear(in_features=d_model, out_features=vocab_size, bias=True)

    def forward(self, token_ids: Tensor) -> Tensor:
        mask: Tensor = self.visible(token_ids)
        hidden: Tensor = self.encoder(token_ids, mask=mask)
        print("hidden", hidden.shape)
        return self.output_projection(hidden)
