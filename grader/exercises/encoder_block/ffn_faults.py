"""Mistakes in the feed-forward network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from grader.diagnosis.faults import Family
from grader.diagnosis.model import State, Step
from grader.exercises.encoder_block.catalogue import CATALOGUE, in_both
from grader.exercises.encoder_block.feed import feed, inner
from grader.exercises.encoder_block.model import block
from grader.exercises.encoder_block.parts import block_shapes, described, feed_shapes, linear

__all__: list[str] = []


@in_both("active", id="activation-missing", absent=True)
def activation_missing(s: State) -> Any:
    return s.hidden


def _activated(function: Callable[[Tensor], Tensor]) -> Callable[[State], Any]:
    def active(s: State) -> Any:
        return function(s.hidden)

    return active


for _function in (
    nn.functional.gelu,
    lambda x: nn.functional.gelu(x, approximate="tanh"),
    torch.sigmoid,
    torch.tanh,
    nn.functional.silu,
    nn.functional.elu,
    nn.functional.selu,
    nn.functional.mish,
    nn.functional.hardswish,
    nn.functional.logsigmoid,
    nn.functional.softsign,
    nn.functional.hardtanh,
    nn.functional.hardsigmoid,
    nn.functional.tanhshrink,
    torch.exp,
    torch.square,
    torch.sin,
    nn.functional.softplus,
    lambda x: x.softmax(dim=-1),
    torch.abs,
    lambda x: x.clamp(max=0.0),  # the wrong side
    lambda x: x.relu() ** 2,
    lambda x: -x.relu(),
):
    in_both("active", id="activation-wrong")(_activated(_function))


def _with_number(
    id: str, name: str, tries: tuple[float, ...], form: Callable[[Tensor, float], Tensor]
) -> None:
    """An activation that has a number, in the network itself and in the block."""

    def build(value: float) -> dict[str, Step]:
        return {"active": lambda s: form(s.hidden, value)}

    for model in (feed, block):
        CATALOGUE.families.append(Family(id, model, name, build, tries, primary="active"))


_with_number("activation-leaky", "slope", (0.01, 0.2), nn.functional.leaky_relu)
_with_number("activation-capped", "cap", (6.0, 1.0), lambda x, cap: x.clamp(0.0, max(cap, 1e-9)))


def _after(s: State) -> Any:
    return torch.relu(linear(s, f"{inner(s)}linear2", s.kept))


in_both("ffn_out", id="activation-after-second-linear", also={"active": lambda s: s.hidden})(_after)
in_both("ffn_out", id="activation-after-second-linear")(_after)  # and in the middle as well


def _activated_early(s: State) -> Any:
    return linear(s, f"{inner(s)}linear1", torch.relu(s.ffn_in))


in_both("active", id="activation-before-first-linear", also={"hidden": _activated_early})(lambda s: s.hidden)


@in_both("ffn_out", id="residual-in-ffn")
def residual_in_ffn(s: State) -> Any:
    return s.ffn_in + linear(s, f"{inner(s)}linear2", s.kept)


@in_both("ffn_out", id="ffn-shared-linear")
def first_twice(s: State) -> Any:
    return linear(s, f"{inner(s)}linear1", s.kept)  # raises unless d_ff == d_model


def _one_if_square(s: State) -> Any:
    """One module under two names: the weights that were set last are the weights of both."""
    name = "linear2" if s.d_ff == s.d_model else "linear1"
    return linear(s, f"{inner(s)}{name}", s.ffn_in)


in_both("hidden", id="ffn-shared-linear")(_one_if_square)


def _exchanged_sizes(s: State) -> Any:
    if s.d_ff != s.d_model:
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")
    return feed.steps["hidden"](s)


def _exchanged_names(s: State) -> Any:
    """What the state dict holds when each layer has the sizes of the other."""
    shapes = (
        block_shapes(s.d_model, s.d_ff) if s.probe.target == block.target else feed_shapes(s.d_model, s.d_ff)
    )
    exchanged = dict(shapes)
    for kind in ("weight", "bias"):
        one, other = (f"{inner(s)}{layer}.{kind}" for layer in ("linear1", "linear2"))
        exchanged[one], exchanged[other] = shapes[other], shapes[one]
    return described(exchanged)


in_both("hidden", id="ffn-sizes-exchanged", also={"names": _exchanged_names})(_exchanged_sizes)


def _across(s: State) -> Any:
    return linear(s, f"{inner(s)}linear1", s.ffn_in.transpose(1, 2))


@in_both("ffn_out", id="ffn-over-sequence", also={"hidden": _across})
def ffn_over_sequence(s: State) -> Any:
    return linear(s, f"{inner(s)}linear2", s.kept).transpose(1, 2)


@in_both("kept", id="dropout-in-eval")
def hidden_dropped_in_eval(s: State) -> Any:
    return torch.zeros_like(s.active) if s.dropout == 1.0 else s.active


@CATALOGUE.replaces(feed, "result", id="output-detached")
def network_detached(s: State) -> Any:
    return s.ffn_out.detach()


@CATALOGUE.replaces(block, "ffn_out", id="output-detached")
def ffn_detached(s: State) -> Any:
    return linear(s, "feed_forward.linear2", s.kept).detach()


def _only(*dims: int) -> Step:
    def ffn_in(s: State) -> Any:
        if s.x.dim() not in dims:
            raise IndexError("Dimension out of range: written for fewer or more dimensions")
        return s.x

    return ffn_in


for _dims in ((3,), (2, 3), (3, 4)):
    CATALOGUE.replaces(feed, "ffn_in", id="leading-dims-fixed", tier="edge")(_only(*_dims))
