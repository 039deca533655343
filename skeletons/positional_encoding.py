"""Exercise 3: positional encodings, fixed and learned.

Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.5.
"""

import torch
from torch import nn


def sinusoidal_table(max_len: int, d_model: int) -> torch.Tensor:
    """Return the table of sinusoidal position vectors, one row per position, from position 0.

    table[p, 2i]     = sin(p / 10000^(2i / d_model))
    table[p, 2i + 1] = cos(p / 10000^(2i / d_model))

    Shapes: float32 (max_len, d_model). An odd ``d_model`` ends with a sine. Every entry is right
    to 5e-4, up to position 5000.

    >>> sinusoidal_table(2, 4)
    tensor([[0.0000, 1.0000, 0.0000, 1.0000],
            [0.8415, 0.5403, 0.0100, 0.9999]])
    """
    # TODO: How many different frequencies are there, and which columns share one?
    # TODO: Which shapes must positions and frequencies have, so that one product gives all angles?
    # TODO: How many sines and how many cosines are there when d_model is odd?
    raise NotImplementedError("TODO: sinusoidal_table")


class SinusoidalPositionalEncoding(nn.Module):
    """Add the sinusoidal table to the input, then apply dropout.

    The table is kept as ``pe``, shape (1, max_len, d_model). It is saved in the ``state_dict``
    and moves with ``.to()``, but it is not trained. A sequence longer than ``max_len`` raises a
    ``ValueError`` that names both lengths.

    Shapes: x (B, S, d_model) -> (B, S, d_model)

    >>> SinusoidalPositionalEncoding(d_model=4)(torch.zeros(1, 2, 4))
    tensor([[[0.0000, 1.0000, 0.0000, 1.0000],
             [0.8415, 0.5403, 0.0100, 0.9999]]])
    """

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0):
        super().__init__()
        # TODO: What kind of attribute is saved and moved with a module, but never trained?
        # TODO: Which part is active in training only?
        raise NotImplementedError("TODO: SinusoidalPositionalEncoding.__init__")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # TODO: Which part of the table does this sequence need? Is it long enough?
        # TODO: Which comes last: the addition or the dropout?
        raise NotImplementedError("TODO: SinusoidalPositionalEncoding.forward")


class LearnedPositionalEncoding(nn.Module):
    """Add a trained vector per position to the input, then apply dropout.

    The vectors are in ``embedding``, an ``nn.Embedding`` with one row for each of ``max_len``
    positions. A sequence longer than ``max_len`` raises a ``ValueError`` that names both lengths.

    Shapes: x (B, S, d_model) -> (B, S, d_model)

    >>> encoding = LearnedPositionalEncoding(d_model=2, max_len=3)
    >>> encoding.embedding.weight.data = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> encoding(torch.zeros(1, 2, 2)).tolist()
    [[[1.0, 2.0], [3.0, 4.0]]]
    """

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0):
        super().__init__()
        # TODO: Which two submodules are needed, and how large is the embedding?
        raise NotImplementedError("TODO: LearnedPositionalEncoding.__init__")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # TODO: What does one look up here: tokens or positions? On which device?
        # TODO: What happens when the sequence is too long?
        raise NotImplementedError("TODO: LearnedPositionalEncoding.forward")
