"""Small inputs of multi-head attention, for `grade repro`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from grader.exercises.small import Axes, Case, Small, keep_mask, open_rows, start, turned, whole
from grader.text import Text

__all__ = ["SMALL"]

TARGET = "MultiHeadAttention"
NAMES = ("W_q", "W_k", "W_v", "W_o")
SIZES = ((1, 1), (1, 2), (2, 1), (2, 2))  # heads and their width


def _state(draw: int, d_model: int, bias: bool, dtype: torch.dtype) -> dict[str, Tensor]:
    state = {}
    for number, name in enumerate(NAMES):
        state[f"{name}.weight"] = whole(draw + number, d_model, d_model, dtype=dtype, low=-1, high=2)
        if bias:
            state[f"{name}.bias"] = whole(draw + number, d_model, dtype=dtype, low=-1, high=2)
    return state


def _case(
    draw: int,
    B: int,
    L: int,
    S: int,
    H: int,
    K: int,
    *,
    mask: Tensor | None = None,
    bias: bool = True,
    alike: bool = False,
    dtype: torch.dtype = torch.float32,
    lie: Any = None,
    **options: Any,
) -> Case:
    """Query (B, L, H * K), key and value (B, S, H * K); `alike`: the same tensor three times."""
    query, key, value = (whole(draw + n, B, m, H * K, dtype=dtype) for n, m in enumerate((L, S, S)))
    if alike:
        key = value = query
    if lie is not None:
        query, key, value = lie(query), lie(key), lie(value)
    init: dict[str, Any] = {"d_model": H * K, "num_heads": H, **options.pop("init", {})}
    if not bias:
        init["bias"] = False
    if dtype is not torch.float32:
        options["dtype"] = str(dtype).removeprefix("torch.")
    kwargs = {} if mask is None else {"mask": mask}
    state = _state(draw, H * K, bias, dtype)
    return start(TARGET, query, key, value, kwargs=kwargs, init=init, state=state, **options)


def _plain(draw: int) -> Iterator[Case]:
    for H, K in SIZES:
        for B, L, S in (
            (1, 1, 1),
            (1, 1, 2),
            (1, 2, 1),
            (2, 1, 1),
            (1, 2, 2),
            (2, 1, 2),
            (2, 2, 2),
            (1, 2, 3),
        ):
            yield _case(draw, B, L, S, H, K)
            if L == S and B < 2:
                yield _case(draw, B, L, S, H, K, alike=True)
        yield _case(draw, 1, 1, 2, H, K, bias=False)
        yield _case(draw, 1, 2, 2, H, K, lie=turned)
        yield _case(draw, 2, 2, 2, H, K, lie=lambda t: turned(t, 0, 1))
        one_hot = torch.zeros(1, 2, H * K)
        one_hot[0, 0, 0] = 1.0
        for seed in (torch.ones(1, 2, H * K), one_hot):
            yield _case(draw, 1, 2, 2, H, K, seed=seed)
        yield _case(draw, 1, 1, 2, H, K, init={"dropout": 1.0}, train=True)
        yield _case(draw, 1, 1, 2, H, K, init={"dropout": 1.0})
        yield _case(draw, 1, 1, 2, H, K, train=True)
    for H, K in ((1, 1), (2, 1)):
        yield _case(draw, 1, 1, 2, H, K, dtype=torch.float64)
        yield _case(draw, 1, 1, 2, H, K, dtype=torch.float64, mask=keep_mask(draw, 1, 2))


def _masked(draw: int) -> Iterator[Case]:
    for H, K in ((1, 1), (2, 1), (2, 2)):
        for B, L, S in ((1, 1, 2), (1, 2, 2), (2, 1, 2), (2, 2, 2), (2, 2, 3)):
            shapes = {(L, S), (B, 1, S), (B, L, S), (B, 1, 1, S), (B, 1, L, S), (B, H, L, S)}
            for shape in sorted(shapes, key=lambda s: (len(s), s)):
                yield _case(draw, B, L, S, H, K, mask=keep_mask(draw, *shape))
        for kind in (torch.int64, torch.float32):
            for shape in ((2, 2), (1, 2, 2), (1, 1, 2, 2)):
                yield _case(draw, 1, 2, 2, H, K, mask=keep_mask(draw, *shape).to(kind))
        for shape in ((1, 2), (1, 1, 2)):
            mask = keep_mask(draw, *shape)
            yield _case(draw, 1, 1, 2, H, K, mask=mask, seed=torch.ones(1, 1, H * K))
            yield _case(draw, 1, 1, 2, H, K, mask=mask, init={"dropout": 1.0}, train=True)


def _identity(d_model: int) -> dict[str, Tensor]:
    """Weights that hand everything through."""
    state = {f"{name}.weight": torch.eye(d_model, dtype=torch.float64) for name in NAMES}
    return state | {f"{name}.bias": torch.zeros(d_model, dtype=torch.float64) for name in NAMES}


def _scores(first: float, second: float, allowed: list[bool], **options: Any) -> Case:
    """One query and two keys with these scores, one head of width one."""
    query = torch.ones(1, 1, 1, dtype=torch.float64)
    key = torch.tensor([[[first], [second]]], dtype=torch.float64)
    value = torch.tensor([[[0.0], [1.0]]], dtype=torch.float64)
    kwargs = {"mask": torch.tensor([allowed])}
    init = {"d_model": 1, "num_heads": 1}
    return start(
        TARGET, query, key, value, kwargs=kwargs, init=init, state=_identity(1), dtype="float64", **options
    )


def _constructed() -> Iterator[Case]:
    for H, K in SIZES:
        for bias in ({}, {"bias": False}):
            init = {"d_model": H * K, "num_heads": H, **bias}
            yield start(TARGET, call=False, init=init)
        yield start(TARGET, call=False, init={"d_model": H * K, "num_heads": H}, positional=True)
    for width, heads in ((3, 2), (1, 2), (5, 3)):
        yield start(TARGET, call=False, init={"d_model": width, "num_heads": heads})


def _edges(draw: int) -> Iterator[Case]:
    for H, K in ((1, 1), (2, 1)):
        for mask in (torch.tensor([[False, False]]), torch.tensor([[[True, False]], [[False, False]]])):
            B = 2 if mask.dim() == 3 else 1
            yield _case(draw, B, 1, 2, H, K, mask=mask, tier="edge")
            yield _case(draw, B, 1, 2, H, K, mask=mask, tier="edge", seed=torch.ones(B, 1, H * K))
        nothing = torch.tensor([[True, True], [False, False]])
        yield _case(draw, 1, 2, 2, H, K, mask=nothing, tier="edge", seed=torch.ones(1, 2, H * K))
        for dtype in (torch.float16, torch.bfloat16):
            mask = keep_mask(draw, 1, 2)
            yield _case(draw, 1, 1, 2, H, K, mask=mask, dtype=dtype, condition=3.0, tier="edge")
            yield _case(draw, 1, 1, 2, H, K, dtype=dtype, condition=3.0, tier="edge")
    yield _scores(0.0, 10_000.0, [True, True], tier="edge", condition=2e4)
    yield _scores(-10_000.0, 10_000.0, [True, True], tier="edge", condition=2e4)
    yield _scores(-1000.0, 0.0, [True, False], tier="edge", condition=2000.0)
    yield _scores(0.0, -1000.0, [False, True], tier="edge", condition=2000.0)


def starts() -> Iterator[Case]:
    """All of them; the search takes them in order of size."""
    yield from _constructed()
    for draw in (1, 2):
        yield from _plain(draw)
        yield from _masked(draw)
        yield from _edges(draw)
    yield _scores(-200.0, 50.0, [True, False], condition=250.0)
    yield _scores(50.0, -200.0, [False, True], condition=250.0)


def sound(case: Case) -> bool:
    """Rows without an allowed key are an edge of their own; the head's width must be whole."""
    return case.edge or open_rows(case.probe.kwargs.get("mask"))


MASKS = {"mask/2": ("L", "S"), "mask/3": ("B", "L", "S"), "mask/4": ("B", "H", "L", "S")}
AXES = Axes(
    {
        "query": ("B", "L", "D"),
        "key": ("B", "S", "D"),
        "value": ("B", "S", "D"),
        **MASKS,
        "weight": ("D", "D"),
        "bias": ("D",),
    },
    {"D": "d_model"},
    heads="num_heads",
)
MEANING = {
    f"{TARGET}.weights": Text(
        "weights[b, h, i, j] is the share of value j in what head h gives to query i of sequence b",
        "weights[b, h, i, j] 是序列 b 中头 h 给查询 i 的结果里值 j 所占的份额",
    ),
    f"{TARGET}.output": Text(
        "output[b, i, :] is what all heads together give to query i, after the output projection",
        "output[b, i, :] 是所有头给查询 i 的结果经过输出投影之后的值",
    ),
}
SMALL = Small(starts, {TARGET: AXES}, MEANING, sound)
