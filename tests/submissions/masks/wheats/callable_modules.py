# style: nn.Module objects without parameters
import torch
from torch import nn


class _Padding(nn.Module):
    def forward(self, token_ids, pad_id=0):
        return (token_ids != pad_id).unsqueeze(dim=1).unsqueeze(dim=2)


class _Combine(nn.Module):
    def forward(self, padding, causal):
        return (padding > 0).logical_and(causal > 0)


class _Apply(nn.Module):
    def forward(self, scores, mask):
        minus = torch.tensor(-torch.inf, dtype=scores.dtype, device=scores.device)
        return torch.lerp(scores, scores, 0.5).masked_fill(~(mask > 0), minus)


padding_mask, combine_masks, apply_mask = _Padding(), _Combine(), _Apply()


def causal_mask(size, device=None):
    return nn.Buffer(torch.ones(size, size, device=device)).tril().to(dtype=torch.bool)
