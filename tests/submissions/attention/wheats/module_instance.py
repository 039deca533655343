# style: an nn.Module does the work and the public name is an instance of it
import math

import torch
from torch import nn


class _Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.softmax = nn.Softmax(dim=-1)

    def _scores(self, query, key):
        return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])

    def _hide(self, tensor, mask, fill):
        if mask is None:
            return tensor
        return tensor.masked_fill(mask.logical_not(), fill)

    def forward(self, query, key, value, mask=None, dropout=None):
        weights = self.softmax(self._hide(self._scores(query, key), mask, -math.inf))
        weights = self._hide(weights, mask, 0)
        drop = dropout or nn.Identity()
        weights = drop(weights)
        return weights @ value, weights


scaled_dot_product_attention = _Attention()
