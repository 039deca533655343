"""Exercise 2: attention masks.

Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.3.

Every mask here says what to *keep*: True (or 1) may be attended, False (or 0) may not.
"""

import torch


def padding_mask(token_ids: torch.Tensor, pad_id: int = 0) -> torch.Tensor:
    """Return True where a token is real and False where it is padding.

    Shapes: token_ids (B, S) -> bool (B, 1, 1, S)

    >>> padding_mask(torch.tensor([[5, 7, 0]]))
    tensor([[[[ True,  True, False]]]])
    """
    # TODO: Which tokens are real?
    # TODO: The mask will meet scores of shape (B, H, L, S). Which axis of those are the tokens?
    raise NotImplementedError("TODO: padding_mask")


def causal_mask(size: int, device: torch.device | str | None = None) -> torch.Tensor:
    """Return True where a query may see a key: at its own position and before it.

    Shapes: bool (size, size), one row per query, one column per key, on ``device``

    >>> causal_mask(3)
    tensor([[ True, False, False],
            [ True,  True, False],
            [ True,  True,  True]])
    """
    # TODO: Which side of the diagonal is the past, and what about the diagonal itself?
    # TODO: Which dtype must come out, and on which device is it made?
    raise NotImplementedError("TODO: causal_mask")


def combine_masks(padding: torch.Tensor, causal: torch.Tensor) -> torch.Tensor:
    """Return True only where both masks allow it. The result is bool, also for 0/1 integers.

    Shapes: padding (B, 1, 1, S), causal (S, S) -> bool (B, 1, S, S)

    >>> padding = torch.tensor([[[[True, True, False]]]])
    >>> causal = torch.tensor([[True, False, False], [True, True, False], [True, True, True]])
    >>> combine_masks(padding, causal)
    tensor([[[[ True, False, False],
              [ True,  True, False],
              [ True,  True, False]]]])
    """
    # TODO: What does "both allow it" mean for two keep masks? For which dtypes does it hold?
    raise NotImplementedError("TODO: combine_masks")


def apply_mask(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return new scores that are exactly -inf where the mask forbids, and unchanged elsewhere.

    Shapes: scores (..., L, S), mask broadcasts to it -> (..., L, S), in the dtype of the scores

    >>> apply_mask(torch.tensor([[1.0, 2.0]]), torch.tensor([[True, False]]))
    tensor([[1., -inf]])
    """
    # TODO: Which entries are to be replaced: those where the mask is True, or the others?
    # TODO: Do the caller's scores stay as they were? Does a 0/1 integer mask work, too?
    raise NotImplementedError("TODO: apply_mask")
