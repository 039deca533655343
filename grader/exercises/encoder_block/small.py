"""Small inputs of the feed-forward network and of the encoder block, for `grade repro`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Model
from grader.exercises.encoder_block.feed import feed
from grader.exercises.encoder_block.model import block
from grader.exercises.encoder_block.parts import block_shapes, feed_shapes
from grader.exercises.encoder_block.probes import CONSTANT, OPEN_EPS, OPEN_EPS_32
from grader.exercises.layer_norm.small import varied
from grader.exercises.small import Axes, Case, Small, keep_mask, open_rows, start, turned, whole
from grader.text import Text

__all__ = ["SMALL", "eps_does_not_matter", "open_eps", "state_of"]

OTHER_EPS = (1e-12, 1e-3)  # what others take for the eps of the norms, which is open


def state_of(
    shapes: Mapping[str, tuple[int, ...]], draw: int, dtype: torch.dtype, zero: tuple[str, ...] = ()
) -> dict[str, Tensor]:
    """Small whole numbers for every parameter; gains are 1 or 2, and those named in `zero` are zero."""
    state: dict[str, Tensor] = {}
    for number, (name, shape) in enumerate(shapes.items()):
        if zero and name.endswith(zero):
            state[name] = torch.zeros(shape, dtype=dtype)
        elif "norm" in name and name.endswith("weight"):
            state[name] = whole(draw + number, *shape, dtype=dtype, low=1, high=2)
        else:
            state[name] = whole(draw + number, *shape, dtype=dtype, low=-1, high=2)
    return state


def _feed(draw: int, x: Tensor, d_ff: int, **options: Any) -> Case:
    init = {"d_model": x.shape[-1], "d_ff": d_ff, **options.pop("init", {})}
    if x.dtype is not torch.float32:
        options["dtype"] = str(x.dtype).removeprefix("torch.")
    state = state_of(feed_shapes(x.shape[-1], d_ff), draw, x.dtype)
    options.setdefault("condition", 4.0)
    return start("FeedForward", x, init=init, state=state, **options)


def _feeds(draw: int) -> Iterator[Case]:
    for width, d_ff in ((1, 1), (1, 2), (2, 1), (2, 2)):
        for B, S in ((1, 1), (1, 2), (2, 1)):
            x = whole(draw, B, S, width)
            yield _feed(draw, x, d_ff)
            yield _feed(draw, turned(x), d_ff)
        x = whole(draw, 1, 1, width)
        yield _feed(draw, x.double(), d_ff)
        yield _feed(draw, x, d_ff, init={"dropout": 1.0})
        yield _feed(draw, x, d_ff, train=True)
        yield _feed(draw, x, d_ff, seed=torch.ones(x.shape))
        for dtype in (torch.float16, torch.bfloat16):
            yield _feed(draw, x.to(dtype), d_ff, tier="edge")


def _block(
    draw: int,
    x: Tensor,
    H: int,
    d_ff: int,
    *,
    mask: Tensor | None = None,
    zero: tuple[str, ...] = (),
    **options: Any,
) -> Case:
    init: dict[str, Any] = {"d_model": x.shape[-1], "num_heads": H, "d_ff": d_ff, "dropout": 0.0}
    init |= options.pop("init", {})
    if x.dtype is not torch.float32:
        options["dtype"] = str(x.dtype).removeprefix("torch.")
    options.setdefault("condition", OPEN_EPS if x.dtype is torch.float64 else OPEN_EPS_32)
    state = state_of(block_shapes(x.shape[-1], d_ff), draw, x.dtype, zero)
    kwargs = {} if mask is None else {"mask": mask}
    return start("EncoderBlock", x, kwargs=kwargs, init=init, state=state, **options)


def _blocks(draw: int, first: dict[str, bool]) -> Iterator[Case]:
    quiet = ("norm1.weight", "norm2.weight")
    for H, width in ((1, 2), (2, 2), (2, 4)):
        for B, S in ((1, 1), (1, 2), (2, 1), (2, 2)):
            x = varied(draw, B, S, width)
            yield _block(draw, x, H, 1, init=first)
            yield _block(draw, x, H, 2, init=first)
            yield _block(draw, x, H, 1, init=first, zero=("linear2.weight", "linear2.bias"))
            yield _block(draw, x, H, 1, init=first, zero=("W_o.weight", "W_o.bias"))
            shapes = ((S, S), (B, 1, S), (B, S, S), (B, 1, 1, S), (B, H, S, S))
            for mask in (keep_mask(draw, *shape) for shape in shapes if S > 1):
                yield _block(draw, x, H, 1, init=first, mask=mask)
    x = varied(draw, 1, 2, 2)
    yield _block(draw, turned(x), 1, 1, init=first)
    yield _block(draw, x, 1, 1, init=first, mask=keep_mask(draw, 2, 2).long())
    for x in (varied(draw, 1, 1, 2), varied(draw, 1, 2, 2)):
        dropped = {**first, "dropout": 1.0}
        yield _block(draw, x, 1, 1, init=dropped)
        yield _block(draw, x, 1, 1, init=dropped, train=True, zero=CONSTANT)
        yield _block(draw, x, 1, 1, init=first, train=True, zero=CONSTANT)
        for seed in (torch.ones(x.shape), torch.zeros(x.shape).index_fill(-1, torch.tensor([0]), 1.0)):
            yield _block(draw, x, 1, 1, init=first, seed=seed)
            yield _block(draw, x, 2, 1, init=first, mask=keep_mask(draw, *x.shape[1:2] * 2), seed=seed)
        if first:
            yield _block(draw, x.double(), 1, 1, init=first, zero=quiet, condition=50.0)


def _edges(draw: int, first: dict[str, bool]) -> Iterator[Case]:
    options: dict[str, Any] = {"init": first, "tier": "edge"}
    x = varied(draw, 1, 2, 2)
    nothing = torch.zeros(2, 2, dtype=torch.bool)
    half = torch.tensor([[True, True], [False, False]])
    for mask in (nothing, half):
        yield _block(draw, x, 1, 1, mask=mask, **options)
        yield _block(draw, x, 1, 1, mask=mask, seed=torch.ones(x.shape), **options)
    yield _block(draw, torch.full((1, 1, 2), 2.0), 1, 1, **options)
    yield _block(draw, torch.zeros(1, 2, 2), 1, 1, **options)
    for dtype in (torch.float16, torch.bfloat16):
        for triangle in (None, torch.ones(2, 2).tril().bool()):
            yield _block(draw, x.to(dtype), 1, 1, mask=triangle, condition=6.0, **options)


def starts() -> Iterator[Case]:
    """All of them; the search takes them in order of size."""
    feed_sizes, sizes = {"d_model": 1, "d_ff": 2}, {"d_model": 2, "num_heads": 1, "d_ff": 3}
    for positional in (False, True):
        yield start("FeedForward", call=False, init=feed_sizes, positional=positional)
        yield start("EncoderBlock", call=False, init=sizes, positional=positional)
    yield start("EncoderBlock", call=False, init={**sizes, "norm_first": True})
    for draw in (1, 2):
        yield from _feeds(draw)
        for first in ({}, {"norm_first": True}):
            yield from _blocks(9 * draw, first)
            yield from _edges(9 * draw, first)


def eps_does_not_matter(model: Model, case: Case) -> bool:
    """Whether numbers and gradients are the same, to the accuracy asked for, with any usual eps.

    Vectors that do not vary are an edge of their own: without an eps they give NaN.
    """
    usual = OTHER_EPS if case.edge else (0.0, *OTHER_EPS)
    right, *others = (_with_eps(model, case, eps) for eps in (None, *usual))
    return all(_alike(a, b) for other in others for a, b in zip(right, other))


def _with_eps(model: Model, case: Case, eps: float | None) -> list[Tensor]:
    """The result, and the gradients where they are looked at."""
    probe = case.probe
    init = {**(probe.init or {}), **({} if eps is None else {"norm_eps": eps})}
    state = model.run(probe.but(init=init, grad=case.seed is not None))
    result: Tensor = state.result
    if case.seed is None or not result.requires_grad:
        return [result]
    leaves = list(state.leaves.values())
    found = torch.autograd.grad((result * case.seed).sum(), leaves, allow_unused=True)
    return [result.detach(), *(torch.zeros(1) if g is None else g for g in found)]


def _alike(a: Tensor, b: Tensor) -> bool:
    allowed = 1e-3 * max(1.0, float(a.abs().max()))
    return bool(((a - b).abs() <= allowed).all())


def open_eps(case: Case) -> Case:
    """The case with a tolerance that leaves the eps of the norms open, where it can be seen at all."""
    probe = case.probe
    dtypes = {t.dtype for t in (probe.state or {}).values() if t.is_floating_point()}
    gains = [v for n, v in (probe.state or {}).items() if "norm" in n and n.endswith("weight")]
    if dtypes == {torch.float32}:
        return case.but(condition=OPEN_EPS_32)
    if dtypes == {torch.float64} and any(bool(g.any()) for g in gains):
        return case.but(condition=OPEN_EPS)
    return case


def sound(case: Case) -> bool:
    """The eps of the norms is open, and rows without an allowed key are an edge of their own."""
    probe = case.probe
    if probe.args is None or probe.target == "FeedForward":
        return True
    return (case.edge or open_rows(probe.kwargs.get("mask"))) and eps_does_not_matter(block, case)


def settled(case: Case) -> Case:
    """A block is compared with the eps of its norms left open."""
    return open_eps(case) if case.probe.target == "EncoderBlock" else case


MODELS: dict[str, Model] = {feed.target: feed, block.target: block}
_FEED = {
    "linear1.weight": ("F", "D"),
    "linear1.bias": ("F",),
    "linear2.weight": ("D", "F"),
    "linear2.bias": ("D",),
}
_MASKS = {"mask/2": ("S", "S"), "mask/3": ("B", "S", "S"), "mask/4": ("B", "H", "S", "S")}
BLOCK_STATE = {**_FEED, "weight": ("D", "D"), "bias": ("D",), "norm1.weight": ("D",), "norm2.weight": ("D",)}
AXES = {
    "FeedForward": Axes({"x": ("B", "S", "D"), **_FEED}, {"D": "d_model", "F": "d_ff"}),
    "EncoderBlock": Axes(
        {"x": ("B", "S", "D"), **_MASKS, **BLOCK_STATE}, {"D": "d_model", "F": "d_ff"}, heads="num_heads"
    ),
}
MEANING = {
    "FeedForward.result": Text(
        "[b, t, :] is what the two linear maps, with a ReLU in between, make of position t",
        "[b, t, :] 是位置 t 经过两个线性层（中间是 ReLU）的结果",
    ),
    "EncoderBlock.result": Text(
        "[b, t, :] is position t after attention and feed-forward network, each with its residual and norm",
        "[b, t, :] 是位置 t 经过注意力和前馈网络（各带残差与归一化）之后的值",
    ),
}
SMALL = Small(starts, AXES, MEANING, sound, settled)
