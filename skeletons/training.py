"""Exercise 9: training a language model, and decoding from it.

Sources: Radford et al. 2018, "Improving Language Understanding by Generative Pre-Training", section
3.1 (next-token prediction); Pascanu et al. 2013, "On the difficulty of training Recurrent Neural
Networks", section 3.2 (clipping the norm of the gradient).

A *model* here is any nn.Module that turns token ids (B, S) into logits (B, S, V).
"""

import torch
import torch.nn.functional as F  # noqa: F401 - for you to use
from torch import nn


def next_token_targets(token_ids: torch.Tensor, pad_id: int = 0, ignore_index: int = -100) -> torch.Tensor:
    """Return what each position is to predict: the token that follows it.

    The last position, and every position whose next token is padding, holds ``ignore_index``.

    Shapes: token_ids (B, S) -> int64 (B, S)

    >>> next_token_targets(torch.tensor([[5, 7, 8, 0]]))
    tensor([[   7,    8, -100, -100]])
    """
    # TODO: Where in the sequence does the target of position t stand?
    # TODO: Which positions have no next token, or only padding? What must stand there?
    raise NotImplementedError("TODO: next_token_targets")


def sequence_loss(logits: torch.Tensor, targets: torch.Tensor, ignore_index: int = -100) -> torch.Tensor:
    """Return the mean cross-entropy over the targets that are not ``ignore_index``.

    The logits are raw: nothing has been normalised yet. When no target counts, the loss is 0, and
    one can still call ``backward()`` on it. F.cross_entropy is allowed.

    Shapes: logits (B, S, V), targets (B, S) -> scalar

    >>> logits = torch.tensor([[[2.0, 0.0], [0.0, 0.0]]])
    >>> sequence_loss(logits, torch.tensor([[-100, 1]]))
    tensor(0.6931)
    """
    # TODO: Where does F.cross_entropy expect the classes, and does it want logits or probabilities?
    # TODO: By how many targets is the sum divided? What if there are none?
    raise NotImplementedError("TODO: sequence_loss")


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    token_ids: torch.Tensor,
    targets: torch.Tensor,
    max_grad_norm: float | None = None,
) -> float:
    """Take one step of the optimizer in training mode, and return the loss as a Python float.

    Gradients that are left from before do not count. With ``max_grad_norm``, the global norm of the
    gradients is clipped to it (nn.utils.clip_grad_norm_ is allowed). The loss is the one of this
    step's forward pass, and keeps no graph alive.

    Shapes: token_ids (B, S), targets (B, S)

    >>> model = nn.Embedding(2, 2)  # the logits of each next token, looked up by the current one
    >>> _ = nn.init.zeros_(model.weight)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=2.0)
    >>> round(train_step(model, optimizer, torch.tensor([[0]]), torch.tensor([[1]])), 4)
    0.6931
    >>> model.weight.detach()
    tensor([[-1.,  1.],
            [ 0.,  0.]])
    """
    # TODO: In which order: forward, backward, clear, clip, step?
    # TODO: Which mode must the model be in? What turns a loss tensor into a plain number?
    raise NotImplementedError("TODO: train_step")


def greedy_decode(
    model: nn.Module, prompt: torch.Tensor, max_new_tokens: int, eos_id: int | None = None
) -> torch.Tensor:
    """Append the most likely next token, again and again, to each row of the prompt.

    The model runs in eval mode and without gradients; afterwards it is in the mode in which it was
    before. A row ends at the first ``eos_id`` that it generates, which is kept; decoding ends when
    all rows have, or after ``max_new_tokens``. What stands after a row's end is up to you.

    Shapes: prompt (B, P) -> (B, P + n) with n <= max_new_tokens

    >>> model = nn.Embedding(3, 3)
    >>> _ = model.weight.data.copy_(torch.tensor([[0, 1, 0], [0, 0, 1], [1, 0, 0]]))
    >>> greedy_decode(model, torch.tensor([[0]]), max_new_tokens=3)
    tensor([[0, 1, 2, 0]])
    """
    # TODO: Which of the S positions holds the logits of the token that comes next?
    # TODO: When is a row done, and when are all of them? What about a prompt that contains eos_id?
    # TODO: In which mode was the model before, and in which must it be afterwards?
    raise NotImplementedError("TODO: greedy_decode")
