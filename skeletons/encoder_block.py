"""Exercise 6: one encoder layer.

Sources: Vaswani et al. 2017, "Attention Is All You Need", sections 3.1, 3.3 and 5.4 (dropout);
Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture" (pre-LN).
"""

import torch
from layer_norm import AddNorm, LayerNorm  # noqa: F401 - exercise 5, use the one you prefer
from multi_head_attention import MultiHeadAttention  # noqa: F401 - exercise 4, for you to use
from torch import nn


class FeedForward(nn.Module):
    """The position-wise feed-forward network, FFN(x) = max(0, x W_1 + b_1) W_2 + b_2.

    Submodules ``linear1`` (d_model to d_ff) and ``linear2`` (d_ff to d_model), with dropout on
    the hidden activations.

    Shapes: x (..., d_model) -> (..., d_model)

    >>> ffn = FeedForward(d_model=2, d_ff=2)
    >>> for linear in (ffn.linear1, ffn.linear2):
    ...     _ = nn.init.eye_(linear.weight), nn.init.zeros_(linear.bias)
    >>> ffn(torch.tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0):
        super().__init__()
        # TODO: Which submodules, and of which sizes?
        raise NotImplementedError("TODO: FeedForward.__init__")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # TODO: What stands between the two linear maps, and what would they be without it?
        raise NotImplementedError("TODO: FeedForward.forward")


class EncoderBlock(nn.Module):
    """Self-attention, then the feed-forward network, each with dropout, residual and norm.

    Post-LN (``norm_first=False``): x = norm1(x + drop(attn(x))), x = norm2(x + drop(ffn(x)))
    Pre-LN  (``norm_first=True``):  x = x + drop(attn(norm1(x))), x = x + drop(ffn(norm2(x)))

    Submodules ``self_attn`` (MultiHeadAttention), ``feed_forward`` (FeedForward), ``norm1`` and
    ``norm2`` (AddNorm, LayerNorm or ``nn.LayerNorm``).

    Example: what is left of the input when both sublayers answer zero?

    >>> for norm_first in (False, True):
    ...     block = EncoderBlock(d_model=2, num_heads=1, d_ff=4, norm_first=norm_first).eval()
    ...     for sublayer in (block.self_attn, block.feed_forward):
    ...         for parameter in sublayer.parameters():
    ...             _ = nn.init.zeros_(parameter)
    ...     block(torch.tensor([[[1.0, 3.0]]])).detach()
    tensor([[[-1.0000,  1.0000]]])
    tensor([[[1., 3.]]])
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.1,
        norm_first: bool = False,
    ):
        super().__init__()
        # TODO: Can one norm serve both sublayers?
        raise NotImplementedError("TODO: EncoderBlock.__init__")

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """x (B, S, d_model) -> (B, S, d_model); the mask has the forms of MultiHeadAttention."""
        # TODO: What are query, key and value in self-attention, in each of the two orders?
        # TODO: The attention returns two things. Which one goes on?
        # TODO: To what is the output of each sublayer added, and where does the norm stand?
        raise NotImplementedError("TODO: EncoderBlock.forward")
