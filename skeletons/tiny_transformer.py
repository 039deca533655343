"""Exercise 8: a tiny language model.

Sources: Vaswani et al. 2017, "Attention Is All You Need", sections 3.1, 3.2.3 (masking the future)
and 3.4; Radford et al. 2018, "Improving Language Understanding by Generative Pre-Training".
"""

import torch
from encoder import TransformerEncoder  # noqa: F401 - exercise 7, for you to use
from masks import causal_mask, combine_masks, padding_mask  # noqa: F401 - exercise 2, for you to use
from torch import nn


class TinyTransformer(nn.Module):
    """The encoder under a causal mask, and a projection to the vocabulary.

    At each position it gives the logits of the token that comes next: raw numbers, one for each
    token of the vocabulary, of which a softmax would make probabilities.

    With ``causal=True`` position t sees real tokens up to t only, with ``causal=False`` all real
    tokens. Padding (``pad_id``) is never seen, wherever it stands: behind, before or between real
    tokens. What comes out at padded positions does not matter.

    Submodules:
        encoder            TransformerEncoder
        output_projection  nn.Linear(d_model, vocab_size), with a bias and weights of its own

    Example: which logits notice that the last token is another one?

    >>> model = TinyTransformer(vocab_size=5, d_model=4, num_heads=2, d_ff=8, num_layers=2).eval()
    >>> one, other = model(torch.tensor([[1, 2, 3]])), model(torch.tensor([[1, 2, 4]]))
    >>> one.shape
    torch.Size([1, 3, 5])
    >>> torch.allclose(one[:, :2], other[:, :2]), torch.allclose(one[:, 2], other[:, 2])
    (True, False)
    """

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        max_len: int = 512,
        dropout: float = 0.0,
        causal: bool = True,
        pad_id: int = 0,
        norm_first: bool = True,
    ):
        super().__init__()
        # TODO: Which of these settings does the encoder need, and in which order does it take them?
        # TODO: How many numbers does the projection take at each position, and how many does it give?
        raise NotImplementedError("TODO: TinyTransformer.__init__")

    def forward(self, token_ids: torch.Tensor) -> torch.Tensor:
        """token_ids (B, S) -> logits (B, S, vocab_size)."""
        # TODO: What becomes of the encoder's own padding mask when you hand it a mask?
        # TODO: Which positions may see which, with causal=True and with causal=False?
        raise NotImplementedError("TODO: TinyTransformer.forward")
