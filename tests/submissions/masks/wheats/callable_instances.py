# style: small classes, the public names are instances
import torch
from torch import nn


class PaddingMask:
    def __call__(self, token_ids, pad_id=0):
        keep = torch.ones_like(token_ids, dtype=torch.bool)
        keep[token_ids == pad_id] = False
        return keep[:, None, None, :]


class CausalMask:
    def __call__(self, size, device=None):
        return torch.full((size, size), True, device=device).tril()


class ApplyMask(nn.Module):
    def forward(self, scores, mask):
        return scores.masked_fill(mask.eq(0), -torch.inf)


padding_mask = PaddingMask()
causal_mask = CausalMask()
apply_mask = ApplyMask()
combine_masks = lambda padding, causal: padding.gt(0) & causal.gt(0)  # noqa: E731
