"""Mistakes in the final norm, in what is returned, and in what is trained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import ANYTHING, State, Step
from grader.exercises.encoder.catalogue import replaces
from grader.exercises.encoder.model import encoder, run_block
from grader.exercises.encoder_block.parts import norm

__all__: list[str] = []


@replaces(encoder, "closed_pre", absent=True)
def final_norm_missing(s: State) -> Any:
    return s.encoded


replaces(encoder, "closed_pre", id="final-norm-missing", absent=True, also={"norm_in_pre": lambda s: False})(
    lambda s: s.encoded
)


@replaces(encoder, "closed", also={"norm_in_post": lambda s: True})
def final_norm_in_post_ln(s: State) -> Any:
    return s.closed_pre if s.norm_first else norm(s, "norm", s.closed_pre)


replaces(encoder, "closed", id="final-norm-in-post-ln", also={"norm_in_post": lambda s: True})(
    lambda s: s.closed_pre
)  # made, and never called


def _after_every_layer(s: State) -> Any:
    x: Tensor = s.entering
    for number, mask in zip(s.stack, s.masks):
        x = run_block(s, number, x, mask, s.order)
        x = norm(s, "norm", x) if s.norm_first else x
    return x


replaces(encoder, "encoded", id="final-norm-in-every-layer", also={"closed_pre": lambda s: s.encoded})(
    _after_every_layer
)


def _normed_first(s: State) -> Any:
    return norm(s, "norm", s.positioned) if s.norm_first else s.positioned


replaces(encoder, "closed_pre", id="final-norm-first", also={"entering": _normed_first})(lambda s: s.encoded)


@replaces(encoder, "closed_pre")
def final_norm_twice(s: State) -> Any:
    return norm(s, "norm", norm(s, "norm", s.encoded)) if s.norm_first else s.encoded


@replaces(encoder, "encoded")
def embedding_added_again(s: State) -> Any:
    return encoder.steps["encoded"](s) + s.entering


@replaces(encoder, "result", id="result-pooled")
def mean_over_sequence(s: State) -> Any:
    return s.closed.mean(dim=1)


@replaces(encoder, "result", id="result-pooled")
def first_token(s: State) -> Any:
    return s.closed[:, 0]


@replaces(encoder, "result", id="output-detached")
def output_detached(s: State) -> Any:
    encoder.steps["result"](s)
    return s.closed.detach()


@replaces(encoder, "result", id="dtype-changed")
def float32_returned(s: State) -> Any:
    s.out_dtype = s.precision = torch.float32
    return s.closed


@replaces(encoder, "encoded", id="dtype-changed")
def float32_for_the_blocks(s: State) -> Any:
    """Converted on the way to the first block, whose parameters are of the module's dtype."""
    if s.num_layers and s.dtype is not torch.float32:
        raise RuntimeError("mat1 and mat2 must have the same dtype")
    s.out_dtype = s.precision = torch.float32
    return encoder.steps["encoded"](s)


@replaces(encoder, "result", id="returns-tuple")
def returns_tuple(s: State) -> Any:
    encoder.steps["result"](s)
    return s.closed, ANYTHING


def _swapped_ends(s: State) -> Any:
    return s.encoded if s.norm_first else norm(s, "norm", s.encoded)


replaces(
    encoder,
    "closed_pre",
    id="final-norm-order-swapped",
    also={"norm_in_pre": lambda s: False, "norm_in_post": lambda s: True},
)(_swapped_ends)
replaces(encoder, "entering", id="final-norm-twice")(_normed_first)


@replaces(encoder, "closed", id="embedding-added-again")
def added_behind_the_norm(s: State) -> Any:
    return s.closed_pre + s.entering


def _pooled(form: Callable[[State], Tensor]) -> None:
    replaces(encoder, "result", id="result-pooled")(form)


def _real(s: State) -> Tensor:
    kept: Tensor = s.token_ids != s.pad_id
    return kept[..., None]


_pooled(lambda s: s.closed[:, -1])
_pooled(lambda s: s.closed.sum(dim=1))
_pooled(lambda s: s.closed.amax(dim=1))
_pooled(lambda s: (s.closed * _real(s)).sum(dim=1) / _real(s).sum(dim=1))


@replaces(encoder, "result")
def result_trimmed(s: State) -> Any:
    longest = int((s.token_ids != s.pad_id).sum(1).max())
    return s.closed[:, :longest]


@replaces(encoder, "result", id="returns-tuple")
def returns_every_layer(s: State) -> Any:
    if not s.num_layers:
        return ()
    first = run_block(s, s.stack[0], s.entering, s.masks[0], s.order)
    return (first, *[ANYTHING] * (s.num_layers - 1))


# -- parameters that are not trained ----------------------------------------------------------------


def _frozen(*parts: str) -> Step:
    def names(s: State) -> Any:
        s.state = {n: v.detach() if n.startswith(parts) else v for n, v in s.state.items()}
        return encoder.steps["names"](s)

    return names


for _parts in (
    ("layers.",),
    ("norm.",),
    ("embedding.", "layers."),
):  # with all of them, nothing has a gradient
    replaces(encoder, "names", id="parameters-frozen")(_frozen(*_parts))
