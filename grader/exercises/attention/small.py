"""Small inputs of attention, for `grade repro`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import torch
from torch import Tensor

from grader.exercises.small import Axes, Case, Small, keep_mask, open_rows, start, turned, whole
from grader.submission.client import Callback
from grader.text import Text

__all__ = ["SMALL"]

TARGET = "scaled_dot_product_attention"
DOUBLE = Callback("scale", {"factor": 2.0})
CUT = Callback("drop_small", {"below": 0.25, "factor": 2.0})
HALVES = (torch.float16, torch.bfloat16)


def _given(
    draw: int, lead: tuple[int, ...] = (), L: int = 1, S: int = 2, K: int = 1, V: int = 1, **options: Any
) -> tuple[Tensor, Tensor, Tensor]:
    """Query (*lead, L, K), key (*lead, S, K), value (*lead, S, V)."""
    query = whole(draw, *lead, L, K, **options)
    key = whole(draw + 1, *lead, S, K, **options)
    return query, key, whole(draw + 2, *lead, S, V, **options)


def _case(args: tuple[Tensor, Tensor, Tensor], mask: Tensor | None = None, **options: Any) -> Case:
    kwargs: dict[str, Any] = {} if mask is None else {"mask": mask}
    if "dropout" in options:
        kwargs["dropout"] = options.pop("dropout")
    return start(TARGET, *args, kwargs=kwargs, **options)


def _plain(draw: int) -> Iterator[Case]:
    for L, S, K, V in product((1, 2), (1, 2, 3), (1, 2, 4), (1, 2)):
        yield _case(_given(draw, (), L, S, K, V))
    for lead in ((1,), (2,), (3,), (1, 2), (2, 2), (1, 1, 1)):
        for L, S, K, V in ((1, 1, 1, 1), (1, 2, 1, 1), (1, 2, 2, 1), (2, 2, 2, 2)):
            yield _case(_given(draw, lead, L, S, K, V))


def _masked(draw: int) -> Iterator[Case]:
    kinds = (torch.int64, torch.float32)
    for L, S in ((1, 2), (2, 2), (2, 3)):
        for lead in ((), (1,), (2,), (1, 1), (2, 2)):
            yield _case(_given(draw, lead, L, S), keep_mask(draw, *lead, L, S))
            yield _case(_given(draw, lead, L, S), keep_mask(draw, 1, S))
        for lead in ((2,), (1, 2)):
            yield _case(_given(draw, lead, L, S), keep_mask(draw, L, S))
        yield _case(_given(draw, (), L, S, 2), keep_mask(draw, L, S))
        yield _case(_given(draw, (2, 2), L, S), keep_mask(draw, 2, 1, 1, S))
        yield _case(_given(draw, (1, 2), L, S), keep_mask(draw, 2, 1, S))
    for kind in kinds:
        for lead in ((), (1, 1)):
            for L, S in ((1, 2), (2, 2)):
                yield _case(_given(draw, lead, L, S), keep_mask(draw, *lead, L, S).to(kind))


def _special(draw: int) -> Iterator[Case]:
    """Dropout, low scores, gradients, dtypes, strides."""
    for dropout in (DOUBLE, CUT):
        yield _case(_given(draw), dropout=dropout)
        yield _case(_given(draw, (2,), 2, 2, 2, 1), dropout=dropout)
        yield _case(_given(draw), keep_mask(draw, 1, 2), dropout=dropout)
    for args, mask in _low(-200.0, 50.0):
        yield _case(args, mask, condition=250.0)
    for args in (_given(draw), _given(draw, (), 1, 2, 2), _given(draw, (), 2, 2, 1)):
        seed = torch.ones(*args[0].shape[:-1], args[2].shape[-1])
        yield _case(args, seed=seed)
        yield _case(args, keep_mask(draw, args[0].shape[-2], args[1].shape[-2]), seed=seed)
        yield _case(args, torch.ones(1, args[1].shape[-2]), seed=seed)
        yield _case(args, dropout=DOUBLE, seed=seed)
    for K in (1, 4):
        args = _given(draw, (), 1, 2, K, dtype=torch.float64)
        yield _case(args)
        yield _case(args, keep_mask(draw, 1, 2))
    yield _case(_given(draw, (), 1, 2, 1, dtype=torch.float64), dropout=DOUBLE)
    for lead in ((), (2,), (1, 2)):
        query, key, value = _given(draw, lead, 2, 2, 2, 2)
        yield _case((turned(query), key, value))
        yield _case((query, turned(key), value))
        yield _case((query, key, turned(value)))
    swapped = tuple(turned(t, -3, -2) for t in _given(draw, (2,), 2, 2, 2, 1))
    yield _case((swapped[0], swapped[1], swapped[2]))


def _low(low: float, high: float) -> Iterator[tuple[tuple[Tensor, Tensor, Tensor], Tensor]]:
    """The allowed key's score is `low`, the forbidden one's is `high`."""
    query = torch.ones(1, 1, dtype=torch.float64)
    value = torch.tensor([[0.0], [1.0]], dtype=torch.float64)
    for key, kept in (([low, high], [True, False]), ([high, low], [False, True])):
        keys = torch.tensor(key, dtype=torch.float64)[:, None]
        mask = torch.tensor([kept])
        yield (query, keys, value), mask
        yield (query[None], keys[None], value[None]), mask


def _edges(draw: int) -> Iterator[Case]:
    options: dict[str, Any] = {"tier": "edge"}
    nothing = torch.zeros(1, 1, dtype=torch.bool)
    for lead in ((), (1,), (1, 1)):
        yield _case(_given(draw, lead, 1, 1), nothing, **options)
        yield _case(_given(draw, lead, 1, 2), nothing.expand(1, 2).clone(), **options)
        half_empty = torch.tensor([[True, True], [False, False]])
        yield _case(_given(draw, lead, 2, 2), half_empty, **options)
        yield _case(_given(draw, lead, 2, 2), half_empty, seed=torch.ones(*lead, 2, 1), **options)
        yield _case(_given(draw, lead, 1, 1), nothing, seed=torch.ones(*lead, 1, 1), **options)
    for dtype in HALVES:
        args = _given(draw, dtype=dtype)
        yield _case(args, condition=3.0, **options)
        yield _case(args, keep_mask(draw, 1, 2), condition=3.0, **options)
        yield _case(_given(draw, (), 1, 2, 4, 1, dtype=dtype), condition=3.0, **options)
    for size in (100.0, 10_000.0):
        query = torch.tensor([[size]])
        for low, high in ((0.0, 10_000 / size), (-10_000 / size, 10_000 / size)):
            args = query, torch.tensor([[low], [high]]), torch.tensor([[0.0], [1.0]])
            yield _case(args, condition=2e4, **options)
    for args, mask in _low(-1000.0, 0.0):
        yield _case(args, mask, condition=2000.0, **options)


def starts() -> Iterator[Case]:
    """All of them; the search takes them in order of size."""
    for draw in (1, 2):
        yield from _plain(draw)
        yield from _masked(draw)
        yield from _special(draw)
        yield from _edges(draw)


def sound(case: Case) -> bool:
    """Rows without an allowed key are an edge of their own."""
    return case.edge or open_rows(case.probe.kwargs.get("mask"))


LEAD = ("c", "b", "a")  # leading axes, the outermost first
AXES = Axes(
    {
        "query": (*LEAD, "L", "K"),
        "key": (*LEAD, "S", "K"),
        "value": (*LEAD, "S", "V"),
        "mask": (*LEAD, "L", "S"),
    },
    loose=LEAD,
)
MEANING = {
    f"{TARGET}.weights": Text(
        "weights[..., i, j] is the share of value j in the output of query i; a query's shares sum to one "
        "(before dropout)",
        "weights[..., i, j] 是值 j 在查询 i 的输出中所占的份额；每个查询的份额之和为一（dropout 之前）",
    ),
    f"{TARGET}.output": Text(
        "output[..., i, :] is the sum of the values, each times its share for query i",
        "output[..., i, :] 是各个值按查询 i 的份额加权之和",
    ),
}
SMALL = Small(starts, {TARGET: AXES}, MEANING, sound)
