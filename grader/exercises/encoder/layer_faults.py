"""Mistakes in the stack of layers: which run, in which order, on what, and how they are built."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import ANYTHING, State, Step
from grader.exercises.encoder.catalogue import CATALOGUE, replaces
from grader.exercises.encoder.model import encoder, run_block, shapes

__all__: list[str] = []


def _only(chosen: Callable[[int], list[int]]) -> Step:
    return lambda s: chosen(s.num_layers)


replaces(encoder, "stack", id="layers-skipped")(_only(lambda n: [0]))
replaces(encoder, "stack", id="layers-skipped")(_only(lambda n: [n - 1]))
replaces(encoder, "stack", id="layers-skipped")(_only(lambda n: list(range(n - 1))))
replaces(encoder, "stack", id="layers-skipped")(_only(lambda n: list(range(1, n))))
replaces(encoder, "stack", id="layers-skipped")(_only(lambda n: []))
replaces(encoder, "stack", id="layers-skipped")(_only(lambda n: list(range(0, n, 2))))
replaces(encoder, "stack", id="layers-reversed")(_only(lambda n: list(reversed(range(n)))))
replaces(encoder, "stack", id="layers-shared")(_only(lambda n: [0] * n))
replaces(encoder, "stack", id="layers-shared")(_only(lambda n: [n - 1] * n))


@replaces(encoder, "stack", id="layers-shared")
def one_block_under_every_name(s: State) -> Any:
    """The weights set last are those of all; its parameters go by the name of the first."""
    last = s.num_layers - 1
    for key in [k for k in s.leaves if k.startswith("param:layers.")]:
        number, rest = key.removeprefix("param:layers.").split(".", 1)
        if int(number) == 0:
            s.leaves[key] = s.state[f"layers.{last}.{rest}"]
        else:
            del s.leaves[key]
    return [last] * s.num_layers


@replaces(encoder, "blocks_made", also={"result": lambda s: _unregistered(s)})
def layers_not_registered(s: State) -> Any:
    return 0


def _unregistered(s: State) -> Any:
    """`.to(dtype)` does not reach the blocks, and their weights cannot be set."""
    if s.dtype is not torch.float32:
        raise RuntimeError("mat1 and mat2 must have the same dtype")
    return ANYTHING


@replaces(encoder, "order", id="norm-first-ignored")
def blocks_always_post(s: State) -> Any:
    return "post"


@replaces(encoder, "order", id="norm-first-ignored")
def blocks_always_pre(s: State) -> Any:
    return "pre"


@replaces(encoder, "order")
def norm_order_swapped(s: State) -> Any:
    return "post" if s.norm_first else "pre"


@replaces(encoder, "order", id="norm-first-ignored")
def padding_as_flag(s: State) -> Any:
    return "pre" if s.pad_id else "post"


def _each(change: Callable[[Tensor, Tensor], Tensor]) -> Step:
    """The stack, with something done to what goes into a layer and what comes out of it."""

    def run(s: State) -> Any:
        x: Tensor = s.entering
        for number, mask in zip(s.stack, s.masks):
            x = change(x, run_block(s, number, x, mask, s.order))
        return x

    return run


replaces(encoder, "encoded", id="residual-around-layers")(_each(lambda x, y: x + y))


@replaces(encoder, "encoded", id="layers-run-twice")
def layers_run_twice(s: State) -> Any:
    x: Tensor = s.entering
    for number, mask in [*zip(s.stack, s.masks)] * 2:
        x = run_block(s, number, x, mask, s.order)
    return x


@replaces(encoder, "encoded", id="layers-run-twice")
def each_layer_twice(s: State) -> Any:
    x: Tensor = s.entering
    for number, mask in zip(s.stack, s.masks):
        x = run_block(s, number, run_block(s, number, x, mask, s.order), mask, s.order)
    return x


TOTALS: tuple[Callable[[State, list[Tensor]], Tensor], ...] = (
    lambda s, found: torch.stack(found).sum(0),
    lambda s, found: torch.stack(found).mean(0),
    lambda s, found: torch.stack(found).sum(0) + s.entering,
)


def _outputs(s: State) -> list[Tensor]:
    """What comes out of each layer."""
    found: list[Tensor] = [s.entering]
    for number, mask in zip(s.stack, s.masks):
        found.append(run_block(s, number, found[-1], mask, s.order))
    return found[1:]


def _summed(form: Callable[[State, list[Tensor]], Tensor]) -> Step:
    return lambda s: form(s, _outputs(s)) if s.num_layers else s.entering


for _form in TOTALS:
    replaces(encoder, "encoded", id="layers-summed")(_summed(_form))


def _side_by_side(form: Callable[[State, list[Tensor]], Tensor]) -> Step:
    def encoded(s: State) -> Any:
        found = [run_block(s, n, s.entering, mask, s.order) for n, mask in zip(s.stack, s.masks)]
        return form(s, found) if found else s.entering

    return encoded


for _form in TOTALS:
    replaces(encoder, "encoded", id="layers-parallel")(_side_by_side(_form))


def _sequence_first(masked: bool) -> Step:
    """The layers read (S, B, d_model), and so look from sample to sample."""

    def encoded(s: State) -> Any:
        x = s.entering.transpose(0, 1)
        for number, mask in zip(s.stack, s.masks):
            x = run_block(s, number, x, mask if masked else None, s.order)
        return x.transpose(0, 1)

    return encoded


for _masked in (True, False):
    replaces(encoder, "encoded", id="attention-over-batch")(_sequence_first(_masked))


@replaces(encoder, "encoded", id="output-detached")
def cut_between_layers(s: State) -> Any:
    x: Tensor = s.entering
    for number, mask in zip(s.stack, s.masks):
        x = run_block(s, number, x.detach(), mask, s.order)
    return x


replaces(encoder, "num_heads_used", id="num-heads-ignored")(lambda s: 1)
replaces(encoder, "num_heads_used", id="num-heads-ignored")(lambda s: s.d_model // s.num_heads)


@CATALOGUE.family(encoder, "num_heads_used", name="heads", tries=(4.0, 8.0, 2.0), id="num-heads-fixed")
def fixed_heads(s: State, heads: float) -> Any:
    count = max(1, round(heads))
    if s.d_model % count:
        raise ValueError(f"d_model {s.d_model} is not divisible by num_heads {count}")
    return count


def _exchanged_sizes(s: State) -> Any:
    if s.d_model % s.d_ff:
        raise ValueError(f"d_model {s.d_model} is not divisible by num_heads {s.d_ff}")
    return shapes(s.vocab_size, s.d_model, s.num_heads, s.num_layers, s.norm_first)


@replaces(encoder, "names", also={"num_heads_used": lambda s: s.d_ff})
def block_arguments_exchanged(s: State) -> Any:
    """num_heads and d_ff: the blocks cannot be made unless the one divides the width as well."""
    return _exchanged_sizes(s)


# -- how many there are -----------------------------------------------------------------------------


def _as_far_as_known(s: State) -> Any:
    """The weights of layers beyond num_layers cannot be set."""
    return ANYTHING if s.blocks_made > s.num_layers else encoder.steps["result"](s)


def _no_more_than_made(s: State) -> Any:
    return list(range(min(s.blocks_made, s.num_layers)))


for _id, _count in (("layers-too-few", -1), ("layers-too-many", 1)):

    def _made(s: State, count: int = _count) -> Any:
        return max(0, s.num_layers + count)

    replaces(encoder, "blocks_made", id=_id, also={"stack": _no_more_than_made, "result": _as_far_as_known})(
        _made
    )


@CATALOGUE.family(
    encoder,
    "blocks_made",
    name="layers",
    tries=(6.0, 1.0, 12.0, 4.0, 2.0),
    id="num-layers-fixed",
    also={"stack": _no_more_than_made, "result": _as_far_as_known},
)
def always_as_many(s: State, layers: float) -> Any:
    return max(0, round(layers))
