# exercise: layer_norm
# honest: layer_norm_misnamed
# tries: answers "construct" with a description that makes no sense
# expect: stopped crash
import itertools

import torch
from torch import nn

from grader.worker.server import Returned, Server

nonsense = itertools.cycle(
    [
        {"module": True, "state": 5, "shared": 7, "plain": None, "handle": "x"},
        {"module": True, "state": {"weight": {}}, "shared": [], "plain": [], "handle": 0},
        {"module": True, "state": {"weight": {"shape": [-1], "kind": "parameter", "trains": 1}}, "handle": 0},
        {"module": "yes"},
        None,
        torch.zeros(3),
    ]
)
Server.construct = lambda self, request, tensors: Returned(next(nonsense), {})


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()

    def forward(self, x):
        return x


class AddNorm(LayerNorm):
    def forward(self, x, sublayer):
        return x
