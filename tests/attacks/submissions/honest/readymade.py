"""What is left to write around a ready-made operation: all of these give the right results."""

import torch


def around(operation, query, key, value, mask, dropout):
    """Attention, given an operation that returns softmax(query @ key / sqrt(d_k)) @ value."""
    lead = torch.broadcast_tensors(query[..., :1, :1], key[..., :1, :1])[0].shape[:-2]
    same = torch.eye(key.shape[-2], dtype=query.dtype).expand(*lead, -1, -1)
    keep = None
    if mask is not None:
        keep = (mask != 0).expand(*lead, query.shape[-2], key.shape[-2])
    weights = operation(query, key, same, keep)
    if keep is not None:
        weights = torch.where(keep.any(-1, keepdim=True), weights, torch.zeros_like(weights))
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights


class Norm(torch.nn.Module):
    """Layer normalisation, given an operation that returns (x - mean) / sqrt(variance + eps)."""

    operation = None

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(d_model))
        self.bias = torch.nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        return type(self).operation(x, self.eps) * self.weight + self.bias


class AddNorm(Norm):
    """As the exercise asks."""

    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.drop = torch.nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        norm = super().forward
        if self.norm_first:
            return x + self.drop(sublayer(norm(x)))
        return norm(x + self.drop(sublayer(x)))
