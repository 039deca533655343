# fault: dtype-changed
# line: 31
# what: the normalised features pass through float32
"""Layer normalisation, and the residual connection around a sublayer.

Ba et al. 2016, "Layer Normalization", section 3; Vaswani et al. 2017, "Attention Is All You
Need", section 3.1 (post-LN) and 5.4 (dropout); Xiong et al. 2020, "On Layer Normalization in
the Transformer Architecture" (pre-LN).
"""

from collections.abc import Callable

import torch
from torch import nn


class LayerNorm(nn.Module):
    """``(x - mean) / sqrt(var + eps) * weight + bias`` over the last axis of (..., d_model)."""

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # Half precision is too coarse for the mean and too narrow for the variance.
        h = x.to(torch.promote_types(x.dtype, torch.float32))  # (..., d_model)
        var, mean = torch.var_mean(h, dim=-1, correction=0, keepdim=True)  # (..., 1) each
        normalized = (h - mean) / torch.sqrt(var + self.eps)  # (..., d_model)
        normalized = normalized.float().to(h.dtype)
        return (normalized * self.weight + self.bias).to(x.dtype)  # (..., d_model)


class AddNorm(LayerNorm):
    """Residual connection, dropout and normalisation around any sublayer."""

    def __init__(
        self, d_model: int, dropout: float = 0.0, norm_first: bool = False, eps: float = 1e-5
    ):
        super().__init__(d_model, eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self, x: torch.Tensor, sublayer: Callable[[torch.Tensor], torch.Tensor]
    ) -> torch.Tensor:
        norm = super().forward
        if self.norm_first:
            return x + self.dropout(sublayer(norm(x)))  # (..., d_model)
        return norm(x + self.dropout(sublayer(x)))  # (..., d_model)
