"""Mistakes that the numbers of one call may hide: gradients, arguments, dtype, what is returned."""

from __future__ import annotations

from typing import Any

import torch

from grader.diagnosis.model import State, Step
from grader.exercises.encoder_block.catalogue import CATALOGUE, in_orders
from grader.exercises.encoder_block.feed import feed
from grader.exercises.encoder_block.model import block
from grader.exercises.encoder_block.parts import attend

__all__: list[str] = []


@CATALOGUE.replaces(block, "attn_out", id="output-detached")
def attention_detached(s: State) -> Any:
    return s.attended[0].detach()


@CATALOGUE.replaces(block, "result")
def output_detached(s: State) -> Any:
    block.steps["result"](s)
    return s.output.detach()


_CUT_FIRST = {"attn_sum": lambda s: s.x.detach() + s.attn_drop}
_CUT_SECOND = {"ffn_sum": lambda s: s.middle.detach() + s.ffn_drop}
in_orders("residual-detached", _CUT_FIRST)
in_orders("residual-detached", _CUT_SECOND)
in_orders("residual-detached", {**_CUT_FIRST, **_CUT_SECOND}, ("always",))


def _of_cut_input(s: State) -> Any:
    return attend(s, "self_attn.", s.attn_in.detach(), s.attn_mask, s.heads)


in_orders("output-detached", {"attended": _of_cut_input})
in_orders("output-detached", {"ffn_in": lambda s: block.steps["ffn_in"](s).detach()})
in_orders("output-detached", {"attn_out": lambda s: s.attended[0].detach()}, ("pre", "post"))
in_orders("output-detached", {"ffn_out": lambda s: feed.steps["ffn_out"](s).detach()}, ("pre", "post"))


# -- parameters that are not trained ----------------------------------------------------------------


def _frozen(*parts: str) -> Step:
    """No gradient for the parameters whose names begin with one of these."""

    def names(s: State) -> Any:
        s.state = {n: v.detach() if n.startswith(parts) else v for n, v in s.state.items()}
        return (feed if s.probe.target == feed.target else block).steps["names"](s)

    return names


_NETWORK = "feed_forward."
for _parts in (
    ("self_attn.",), (_NETWORK,), ("norm1.",), ("norm2.",), ("norm1.", "norm2."), ("",),
    (f"{_NETWORK}linear1.",), (f"{_NETWORK}linear2.",),
):  # fmt: skip
    CATALOGUE.replaces(block, "names", id="parameters-frozen")(_frozen(*_parts))
for _part in ("", "linear1.", "linear2."):
    CATALOGUE.replaces(feed, "names", id="parameters-frozen")(_frozen(_part))


# -- arguments, dtype, what is returned -------------------------------------------------------------


def _in_place(s: State) -> Any:
    if s.probe.grad:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    if bool(s.attn_drop.any()):  # adding zero changes nothing
        s.touch("x")
    return s.x + s.attn_drop


in_orders("input-modified", {"attn_sum": _in_place})


@CATALOGUE.replaces(block, "result", id="dtype-changed")
def float32_returned(s: State) -> Any:
    s.out_dtype = s.precision = torch.float32
    return s.output


@CATALOGUE.replaces(block, "result", id="dtype-changed")
def computed_in_float32(s: State) -> Any:
    s.precision = torch.float32
    return s.output


def _with(second: Any) -> Any:
    def result(s: State) -> Any:
        block.steps["result"](s)
        return s.output, second(s)

    return result


CATALOGUE.replaces(block, "result", id="returns-tuple")(_with(lambda s: None))
CATALOGUE.replaces(block, "result", id="returns-tuple")(_with(lambda s: s.attended[1]))
