"""Exercise 7: the Transformer encoder.

Sources: Vaswani et al. 2017, "Attention Is All You Need", sections 3.1, 3.4 and 3.5; Xiong et al.
2020, "On Layer Normalization in the Transformer Architecture" (pre-LN and its final norm).
"""

import torch
from encoder_block import EncoderBlock  # noqa: F401 - exercise 6, for you to use
from layer_norm import LayerNorm  # noqa: F401 - exercise 5, for you to use
from masks import padding_mask  # noqa: F401 - exercise 2, for you to use
from positional_encoding import SinusoidalPositionalEncoding  # noqa: F401 - exercise 3
from torch import nn


class TransformerEncoder(nn.Module):
    """Embed the tokens, add their positions, pass them through a stack of encoder blocks.

    The embeddings are multiplied by sqrt(d_model) before the positions are added (section 3.4).

    Submodules:
        embedding            nn.Embedding(vocab_size, d_model)
        positional_encoding  SinusoidalPositionalEncoding
        layers               nn.ModuleList of num_layers EncoderBlocks
        norm                 LayerNorm, after the last layer, with ``norm_first=True`` only

    Example: no layers at all, and embeddings of ones, which leave 2 + position.

    >>> encoder = TransformerEncoder(
    ...     vocab_size=3, d_model=4, num_heads=1, d_ff=8, num_layers=0
    ... ).eval()
    >>> _ = nn.init.ones_(encoder.embedding.weight)
    >>> encoder(torch.tensor([[1, 2]])).detach()
    tensor([[[2.0000, 3.0000, 2.0000, 3.0000],
             [2.8415, 2.5403, 2.0100, 2.9999]]])
    """

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        dropout: float = 0.1,
        max_len: int = 5000,
        pad_id: int = 0,
        norm_first: bool = False,
    ):
        super().__init__()
        # TODO: How does each layer get parameters of its own, and how does the module know of them?
        # TODO: Why does a pre-LN stack need one more norm at its end, and a post-LN stack none?
        raise NotImplementedError("TODO: TransformerEncoder.__init__")

    def forward(self, token_ids: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """token_ids (B, S) -> (B, S, d_model).

        Without a mask, padding (``pad_id``) is masked; a mask that is given takes its place. What
        comes out at real tokens does not depend on how much padding follows.
        """
        # TODO: Where does the mask come from when none is given, and which layers need it?
        # TODO: What is done to the embeddings before the positions are added, and why?
        raise NotImplementedError("TODO: TransformerEncoder.forward")
