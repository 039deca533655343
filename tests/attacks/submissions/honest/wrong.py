"""A wrong attention, for the attacks to hand in: a point that one of them gets beyond it is forged."""

import torch

done = set()


def attention(query, key, value, mask=None, dropout=None):
    """The scores are not divided by the root of the key's width."""
    scores = query @ key.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights


def once(action):
    """Carries out an attack on the first call only."""
    if action not in done:
        done.add(action)
        action()


class Misnamed(torch.nn.Module):
    """A right layer normalisation whose parameters have other names than they should."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma = torch.nn.Parameter(torch.ones(d_model))
        self.beta = torch.nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, unbiased=False, keepdim=True)
        return (x - mean) / (variance + self.eps).sqrt() * self.gamma + self.beta
