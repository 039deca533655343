"""Small inputs of layer normalisation and of the residual connection, for `grade repro`."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Model
from grader.exercises.layer_norm.model import add_norm, layer_norm
from grader.exercises.small import Axes, Case, Small, start, turned, whole
from grader.submission.client import Callback
from grader.text import Text

__all__ = ["SMALL", "varied"]

MODELS: dict[str, Model] = {m.target: m for m in (layer_norm, add_norm)}
SHAPES = ((2,), (3,), (2, 2), (1, 2, 2), (2, 1, 2), (2, 2, 2), (3, 2, 2))
FAR, LARGE = 1000.0, 6e4  # a mean from which rounding counts; a variance that float16 cannot hold


def varied(number: int, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Small whole numbers; in each row the first two differ."""
    return _varied(number, shape, dtype).clone()


@functools.cache
def _varied(number: int, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    dice = random.Random(f"varied {number} {shape}")
    table = []
    for _ in range(math.prod(shape[:-1])):
        row = [dice.randint(-2, 4) for _ in range(shape[-1])]
        if row[0] == row[1]:
            row[1] += dice.choice([2, 4])
        table.append([float(v) for v in row])
    return torch.tensor(table, dtype=dtype).reshape(shape)


def _state(draw: int, d_model: int, dtype: torch.dtype) -> dict[str, Tensor]:
    weight = whole(draw, d_model, dtype=dtype, low=2, high=4)
    return {"weight": weight, "bias": whole(draw, d_model, dtype=dtype, low=1, high=3)}


def _ln(draw: int, x: Tensor, **options: Any) -> Case:
    init = {"d_model": x.shape[-1], **options.pop("init", {})}
    options.setdefault("condition", 4.0)
    if x.dtype is not torch.float32:
        options["dtype"] = str(x.dtype).removeprefix("torch.")
    return start("LayerNorm", x, init=init, state=_state(draw, x.shape[-1], x.dtype), **options)


def _add(draw: int, x: Tensor, sublayer: Callback, **options: Any) -> Case:
    init = {"d_model": x.shape[-1], **options.pop("init", {})}
    options.setdefault("condition", 8.0)
    if x.dtype is not torch.float32:
        options["dtype"] = str(x.dtype).removeprefix("torch.")
    return start("AddNorm", x, sublayer, init=init, state=_state(draw, x.shape[-1], x.dtype), **options)


def _sublayers(draw: int, d_model: int, dtype: torch.dtype) -> Iterator[Callback]:
    weight = whole(draw, d_model, d_model, dtype=dtype)
    bias = whole(draw + 1, d_model, dtype=dtype)
    yield Callback("affine", {"weight": weight * 0, "bias": bias})
    yield Callback("affine", {"weight": weight, "bias": bias})
    yield Callback("shift_scale", {"factor": 2.0, "offset": 1.0})


def _one_hot(shape: tuple[int, ...]) -> Tensor:
    found = torch.zeros(shape)
    found.view(-1)[0] = 1.0
    return found


def _layer_norm(draw: int) -> Iterator[Case]:
    for shape in SHAPES:
        x = varied(draw, *shape)
        yield _ln(draw, x)
        yield _ln(draw, x, init={"eps": 0.5})
        if x.dim() > 1:
            yield _ln(draw, turned(x))
    x = varied(draw, 2)
    yield _ln(draw, x, init={"eps": 3.0})
    yield _ln(draw, x.double())
    yield _ln(draw, varied(draw, 4).double())
    for shape in ((2,), (3,), (2, 2)):
        x = varied(draw, *shape)
        yield _ln(draw, x, init={"eps": 1.0}, seed=torch.ones(shape))
        yield _ln(draw, x, init={"eps": 1.0}, seed=_one_hot(shape))
        yield _ln(draw, x, seed=_one_hot(shape))


def _add_norm(draw: int, first: dict[str, Any]) -> Iterator[Case]:
    for shape in ((2,), (2, 2), (1, 2, 2), (2, 1, 2)):
        x = varied(draw, *shape)
        for sublayer in _sublayers(draw, shape[-1], x.dtype):
            yield _add(draw, x, sublayer, init=first)
            yield _add(draw, x, sublayer, init={**first, "eps": 0.5})
            if x.dim() > 1:
                yield _add(draw, turned(x), sublayer, init=first)
    x = varied(draw, 2)
    for sublayer in _sublayers(draw, 2, x.dtype):
        yield _add(draw, x, sublayer, init={**first, "eps": 3.0})
        yield _add(draw, x.double(), sublayer, init=first)
        yield _add(draw, x, sublayer, init={**first, "dropout": 1.0}, train=True)
        yield _add(draw, x, sublayer, init={**first, "dropout": 1.0})
        yield _add(draw, x, sublayer, init=first, train=True)
        for seed in (_one_hot((2,)), torch.ones(2)):
            yield _add(draw, x, sublayer, init={**first, "eps": 1.0}, seed=seed)
    yield _add(draw, x, Callback("scale", {"factor": 2.0}, as_module=True), init=first)


def _constructed() -> Iterator[Case]:
    for d_model in (1, 2, 3):
        for target in MODELS:
            initial = {"weight": torch.ones(d_model), "bias": torch.zeros(d_model)}
            yield start(target, call=False, init={"d_model": d_model})
            yield start(target, call=False, init={"d_model": d_model}, initial=initial)
    x, zero = varied(1, 2), Callback("shift_scale", {"factor": 0.0, "offset": 0.0})
    yield _ln(1, x, init={"eps": 3.0}, positional=True)
    yield _add(1, x, zero, init={"dropout": 0.0, "norm_first": True, "eps": 3.0}, positional=True)
    yield _add(1, x, zero, init={"dropout": 0.0, "norm_first": False, "eps": 3.0}, positional=True)


def _edges(draw: int) -> Iterator[Case]:
    for size in (2, 3, 4):
        for value in (0.0, 1.0, 2.5):
            yield _ln(draw, torch.full((size,), value), condition=600.0, tier="edge")
    for dtype in (torch.float16, torch.bfloat16):
        for shape in ((2,), (2, 2)):
            x = varied(draw, *shape, dtype=dtype)
            yield _ln(draw, x, tier="edge")
            for first in ({}, {"norm_first": True}):
                stretch = Callback("shift_scale", {"factor": 2.0, "offset": 1.0})
                yield _add(draw, x, stretch, init=first, tier="edge")
    far = 10_000.0 + torch.tensor([1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    yield _ln(draw, far, condition=1e4, tier="edge")
    yield _ln(draw, far * torch.tensor([1.0]) + varied(draw, 8), condition=1e4, tier="edge")
    large = torch.zeros(8, dtype=torch.float16)
    large[1] = 400.0
    yield _ln(draw, large, tier="edge")


def starts() -> Iterator[Case]:
    """All of them; the search takes them in order of size."""
    yield from _constructed()
    for draw in (1, 2):
        yield from _layer_norm(draw)
        for first in ({}, {"norm_first": True}):
            yield from _add_norm(draw, first)
        yield from _edges(draw)


def sound(case: Case) -> bool:
    """Vectors that do not vary, means far from zero and huge squares are edges of their own."""
    probe = case.probe
    if probe.args is None:
        return True
    x = probe.args[0]
    state = MODELS[probe.target].run(probe)
    variance = getattr(state, "variance", None)
    if variance is None:
        return True
    if case.edge:
        far = float(x.double().mean(dim=-1).abs().max()) > FAR
        return float(variance.max()) < LARGE and not (far and x.shape[-1] < 8)
    return float(variance.min()) > 0.2


LEAD = ("c", "b", "a")
_OF = {
    "x": (*LEAD, "D"),
    "weight": ("D",),
    "bias": ("D",),
    "sublayer.weight": ("D", "D"),
    "sublayer.bias": ("D",),
}
AXES = {target: Axes(_OF, {"D": "d_model"}, loose=LEAD) for target in MODELS}
MEANING = {
    "LayerNorm.result": Text(
        "each vector (the last axis) is brought to mean 0 and variance 1, then scaled and shifted",
        "每个向量（最后一维）先变为均值 0、方差 1，再缩放和平移",
    ),
    "AddNorm.result": Text(
        "the residual connection around the sublayer, with its normalisation",
        "子层的残差连接及其归一化的结果",
    ),
}
SMALL = Small(starts, AXES, MEANING, sound, once=("AddNorm",))
