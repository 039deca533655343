# style: a frozen dataclass with cached properties, match statement
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch


@dataclass(frozen=True, eq=False)
class Attend:
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    mask: Any
    dropout: Any

    @cached_property
    def keep(self):
        match self.mask:
            case None:
                return torch.ones_like(self.logits, dtype=torch.bool)
            case mask:
                return mask.bool()

    @cached_property
    def logits(self):
        return (self.query.unsqueeze(-2) * self.key.unsqueeze(-3)).sum(-1) / math.sqrt(self.key.size(-1))

    @cached_property
    def weights(self):
        logits = self.logits - self.logits.detach().amax(-1, keepdim=True)
        low = torch.finfo(logits.dtype).min
        p = torch.softmax(torch.where(self.keep, logits, low), dim=-1) * self.keep
        return p if self.dropout is None else self.dropout(p)

    @property
    def result(self):
        return self.weights @ self.value, self.weights


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return Attend(query, key, value, mask, dropout).result
