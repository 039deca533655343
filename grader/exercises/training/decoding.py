"""The model of greedy decoding, carried out on a stand-in for a model.

As in `lesson`, a step is a decision, and `result` acts accordingly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Model, State
from grader.exercises.training.lesson import twin
from grader.worker.toys import ToyModel

__all__ = ["decode", "open_positions"]

decode = Model("greedy_decode", ("model", "prompt", "max_new_tokens", "eos_id"))


@decode.step
def mode(s: State) -> str:
    return "eval"


@decode.step
def restored(s: State) -> str:
    """The mode that the model is in afterwards."""
    return "as before"


@decode.step
def built(s: State) -> bool:
    """Whether graphs are built on the way."""
    return False


@decode.step
def context(s: State) -> Callable[[Tensor, int], Tensor]:
    """What the model sees, of all tokens so far and the length of the prompt."""
    return lambda tokens, prompted: tokens


@decode.step
def place(s: State) -> Callable[[Tensor, int], Tensor]:
    """Which logits (B, V) choose the next token, of those of all positions (B, S, V)."""
    return lambda logits, prompted: logits[:, -1]


@decode.step
def choice(s: State) -> Callable[[Tensor], Tensor]:
    """The token (B,) that the logits (B, V) choose."""
    return lambda logits: logits.argmax(dim=-1)


@decode.step
def most(s: State) -> int:
    """How many tokens there are to be at most."""
    return int(s.max_new_tokens)


@decode.step
def end(s: State) -> int | None:
    """The token that ends a row."""
    found: int | None = s.eos_id
    return found


@decode.step
def over(s: State) -> Callable[[Tensor, int, int], bool]:
    """Whether decoding is over, of all tokens so far, the length of the prompt, and the end."""
    return all_rows


@decode.step
def dropped(s: State) -> bool:
    """Whether the token that ends it all is left out."""
    return False


@decode.step
def shown(s: State) -> Callable[[Tensor, int], Tensor]:
    """What is returned of all tokens."""
    return lambda tokens, prompted: tokens


@decode.step
def result(s: State) -> Any:
    s.out_dtype = None  # tokens are what they are
    with torch.set_grad_enabled(bool(s.built)):
        tokens = _decoded(s)
    found = s.shown(tokens, s.prompt.shape[1])
    where = s.probe.where
    if isinstance(found, Tensor) and where is not None and found.shape == where.shape:
        found = found.masked_fill(~where, 0)
    told = {"mode": (_mode_after(s, tokens),) * 2, "built": bool(s.built) and s.most > 0}
    return (found, *(told[name] for name in s.model.looks))


def all_rows(tokens: Tensor, prompted: int, end: int) -> bool:
    """Every row has generated the end."""
    return bool((tokens[:, prompted:] == end).any(dim=1).all())


def _mode_after(s: State, tokens: Tensor) -> bool:
    before: bool = s.model.train
    prompted = s.prompt.shape[1]
    early = s.end is not None and bool(s.over(tokens, prompted, s.end)) if s.most > 0 else False
    in_eval = {
        "eval": True,
        "eval once run": s.most > 0,
        "eval after an end": early,
        "eval without an end": not early,
    }
    if s.restored in in_eval:
        return before and not in_eval[s.restored]
    return {"as before": before, "train": True, "opposite": not before}[s.restored]


def _decoded(s: State) -> Tensor:
    model: ToyModel = twin(s)
    if s.mode in ("eval", "train"):
        model.train(s.mode == "train")
    tokens: Tensor = s.prompt
    prompted = tokens.shape[1]
    for _ in range(s.most):
        logits = s.place(model(s.context(tokens, prompted)), prompted)
        chosen = s.choice(logits)
        longer = torch.cat([tokens, chosen.reshape(-1, 1).to(tokens.dtype)], dim=1)
        if s.end is not None and s.over(longer, prompted, s.end):
            return tokens if s.dropped else longer
        tokens = longer
    return tokens


def open_positions(tokens: Tensor, prompted: int, end: int | None) -> Tensor:
    """What is not open of a right result (B, P + n): all up to each row's own end."""
    ended = torch.zeros_like(tokens, dtype=torch.bool)
    if end is not None:
        ended[:, prompted:] = tokens[:, prompted:] == end
    return ended.long().cumsum(dim=1) - ended.long() == 0
