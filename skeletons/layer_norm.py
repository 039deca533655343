"""Exercise 5: layer normalisation, and the residual connection around a sublayer.

Sources: Ba et al. 2016, "Layer Normalization", section 3; Vaswani et al. 2017, "Attention Is All
You Need", sections 3.1 (post-LN) and 5.4 (dropout); Xiong et al. 2020, "On Layer Normalization in
the Transformer Architecture" (pre-LN).
"""

from collections.abc import Callable

import torch
from torch import nn


class LayerNorm(nn.Module):
    """Normalise each vector by its own mean and variance, then scale and shift it.

    y = (x - mean) / sqrt(var + eps) * weight + bias, with var the mean squared deviation

    Parameters ``weight`` (at first ones) and ``bias`` (at first zeros), of shape (d_model,).

    Shapes: x (..., d_model) -> (..., d_model), any number of leading dimensions

    Example: the mean is 5, the variance is 5.

    >>> LayerNorm(4)(torch.tensor([2.0, 4.0, 6.0, 8.0])).detach()
    tensor([-1.3416, -0.4472,  0.4472,  1.3416])
    """

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        # TODO: What makes a tensor something that the optimizer trains?
        raise NotImplementedError("TODO: LayerNorm.__init__")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # TODO: Over which axis are the statistics taken, and do they broadcast against x?
        # TODO: By what is the sum of squares divided: d_model or d_model - 1?
        # TODO: What is eps there to prevent, and does it, where you have put it?
        raise NotImplementedError("TODO: LayerNorm.forward")


class AddNorm(LayerNorm):
    """Put a residual connection, dropout and this normalisation around a sublayer.

    Post-LN (``norm_first=False``): norm(x + dropout(sublayer(x)))
    Pre-LN  (``norm_first=True``):  x + dropout(sublayer(norm(x)))

    Its only parameters are the ``weight`` and ``bias`` of the normalisation.

    Example: a sublayer that doubles its input.

    >>> x = torch.tensor([1.0, 3.0])
    >>> AddNorm(2)(x, lambda h: 2 * h).detach()
    tensor([-1.0000,  1.0000])
    >>> AddNorm(2, norm_first=True)(x, lambda h: 2 * h).detach()
    tensor([-1.0000,  5.0000])
    """

    def __init__(
        self, d_model: int, dropout: float = 0.0, norm_first: bool = False, eps: float = 1e-5
    ):
        # TODO: What does the parent class set up, and what is left for you?
        raise NotImplementedError("TODO: AddNorm.__init__")

    def forward(
        self, x: torch.Tensor, sublayer: Callable[[torch.Tensor], torch.Tensor]
    ) -> torch.Tensor:
        """Call ``sublayer`` once, with one tensor: x (..., d_model) -> (..., d_model)."""
        # TODO: What does the sublayer see in each order, and what is added back to its output?
        # TODO: How do you call the normalisation of the parent class from here?
        raise NotImplementedError("TODO: AddNorm.forward")
