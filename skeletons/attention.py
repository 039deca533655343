"""Exercise 1: scaled dot-product attention.

Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1.
"""

from collections.abc import Callable

import torch


def scaled_dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None = None,
    dropout: Callable[[torch.Tensor], torch.Tensor] | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attend with each query to all keys, and return ``(output, weights)``.

    Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V          (equation 1 of the paper)

    Shapes, where "..." is any number of leading dimensions, also none:
        query    (..., L, d_k)
        key      (..., S, d_k)
        value    (..., S, d_v)
        mask     broadcasts to (..., L, S); True (or 1) may be attended, False (or 0) may not
        output   (..., L, d_v)
        weights  (..., L, S), exactly those that the output was computed with

    ``dropout`` is a callable such as an ``nn.Dropout``; it is applied to the weights after the
    softmax. A query that may attend to no key at all gets zero weights and a zero output. The
    result has the dtype of the input, half precision included; the inputs are left as they are.

    Example: one query, two keys, d_k = 4. The two scaled scores are 1 and 0.

    >>> query = torch.tensor([[1.0, 0.0, 1.0, 0.0]])
    >>> key = torch.tensor([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]])
    >>> value = torch.tensor([[10.0], [20.0]])
    >>> output, weights = scaled_dot_product_attention(query, key, value)
    >>> weights
    tensor([[0.7311, 0.2689]])
    >>> output
    tensor([[12.6894]])
    >>> output, weights = scaled_dot_product_attention(
    ...     query, key, value, mask=torch.tensor([[False, True]])
    ... )
    >>> weights
    tensor([[0., 1.]])
    """
    # TODO: How similar is each query to each key? Which shape must the answer have?
    # TODO: How large do these numbers grow as d_k grows, and what would the softmax make of that?
    # TODO: At which point does the mask have to act, so that the remaining weights still sum to
    #       one? Does your way survive every dtype, and a query that may attend to nothing?
    # TODO: Over which axis do the weights of one query sum to one?
    # TODO: When there is a dropout, which weights do you use, and which do you return?
    raise NotImplementedError("TODO: scaled_dot_product_attention")
