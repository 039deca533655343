"""Exercise 4: multi-head attention.

Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2.
"""

import torch
from attention import scaled_dot_product_attention  # noqa: F401 - exercise 1, for you to use
from torch import nn


class MultiHeadAttention(nn.Module):
    """Attend in ``num_heads`` subspaces of size d_k = d_model // num_heads.

    Submodules ``W_q``, ``W_k``, ``W_v`` and ``W_o``, each an
    ``nn.Linear(d_model, d_model, bias=bias)``. Head h owns the features
    ``h * d_k`` up to ``(h + 1) * d_k`` of each projection; the heads are concatenated in that
    order before ``W_o``. A ``d_model`` that ``num_heads`` does not divide raises ``ValueError``.

    Example: two heads, and projections that change nothing. The first token is seen by the first
    head only, the second token by the second head only.

    >>> mha = MultiHeadAttention(d_model=4, num_heads=2, bias=False)
    >>> for linear in (mha.W_q, mha.W_k, mha.W_v, mha.W_o):
    ...     _ = nn.init.eye_(linear.weight)
    >>> x = torch.tensor([[[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]])
    >>> output, weights = mha(x, x, x)
    >>> weights.detach()
    tensor([[[[0.6698, 0.3302],
              [0.5000, 0.5000]],
    <BLANKLINE>
             [[0.5000, 0.5000],
              [0.3302, 0.6698]]]])
    >>> output.detach()
    tensor([[[0.6698, 0.0000, 0.5000, 0.0000],
             [0.5000, 0.0000, 0.6698, 0.0000]]])
    """

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        # TODO: Which sizes are impossible?
        # TODO: What has parameters, what is only a number to remember, what acts in training only?
        raise NotImplementedError("TODO: MultiHeadAttention.__init__")

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        mask: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return ``(output, weights)``.

        Shapes:
            query       (B, L, d_model)
            key, value  (B, S, d_model); S may differ from L
            mask        (L, S), or one per batch element as (B, 1, S) or (B, L, S), or four
                        dimensions that broadcast to (B, H, L, S); True (or 1) may be attended
            output      (B, L, d_model)
            weights     (B, H, L, S), those that were used, dropout included
        """
        # TODO: Project, then cut into heads. Which order of axes lets exercise 1 treat the heads
        #       as a leading dimension, without mixing the features of different heads?
        # TODO: Against which axis would a mask of three dimensions broadcast as it stands?
        # TODO: How do the heads get back into (B, L, d_model), in order, and what comes last?
        raise NotImplementedError("TODO: MultiHeadAttention.forward")
