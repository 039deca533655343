"""Small inputs of the positional encodings, for `grade repro`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from grader.exercises.small import Axes, Case, Small, start, turned, whole
from grader.text import Text

__all__ = ["SMALL"]

TABLE = "sinusoidal_table"
FIXED = "SinusoidalPositionalEncoding"
LEARNED = "LearnedPositionalEncoding"
FAR = 260.0  # the condition at which float32 numbers may differ by the contract's 5e-4


def _tables() -> Iterator[Case]:
    for rows in (1, 2, 3, 5, 9):
        for width in (2, 4, 6, 8, 10):
            yield start(TABLE, rows, width, condition=4.0)
        for width in (1, 3, 5):
            yield start(TABLE, rows, width, condition=4.0, tier="edge")
    for width in (2, 4, 8):
        yield start(TABLE, 5001, width, condition=FAR, index=(5000,))


def _case(
    target: str, x: Tensor, rows: int, *, own: bool = False, dropout: float = 0.0, **options: Any
) -> Case:
    """A call of one of the classes, whose table has `rows` small whole numbers (with `own`, its own)."""
    state: dict[str, Tensor] = {}
    if target == LEARNED:
        state["embedding.weight"] = whole(rows + 40, rows, x.shape[-1], dtype=x.dtype)
    elif not own:
        state["pe"] = whole(rows + 50, 1, rows, x.shape[-1], dtype=x.dtype)
    if x.dtype is not torch.float32:
        options["dtype"] = str(x.dtype).removeprefix("torch.")
    init: dict[str, Any] = {"d_model": x.shape[-1], "max_len": rows}
    if dropout:
        init["dropout"] = dropout
    return start(target, x, init=init, state=state, condition=4.0, **options)


def _calls(target: str) -> Iterator[Case]:
    for B, S in ((1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 2)):
        for width in (2, 4):
            x = whole(B + S, B, S, width)
            for rows in (S, S + 1):
                yield _case(target, x, rows)
                yield _case(target, x, rows, own=True)
            yield _case(target, turned(x), S)
            yield _case(target, turned(x, 0, 1), S)
        x = whole(B, B, S, 2)
        for rows in (S, S + 1):
            yield _case(target, x, rows, dropout=1.0, train=True)
            yield _case(target, x, rows, dropout=1.0)
            yield _case(target, x, rows, train=True)
            yield _case(target, x, rows, seed=torch.ones(x.shape))
        yield _case(target, x.double(), S)
        yield _case(target, x[:1].expand(B, S, 2), S)
        for dtype in (torch.bfloat16, torch.float16):
            yield _case(target, x.to(dtype), S, tier="edge")
        for width in (1, 3):
            yield _case(target, whole(B, B, S, width), S, own=True, tier="edge")
    for length, rows in ((2, 1), (3, 2), (4, 2)):
        x = whole(length, 1, length, 2)
        yield _case(target, x, rows, refuses=(length, rows), tier="edge")
    yield start(target, call=False, init={"d_model": 8})  # as long as it is by default
    for width, rows in ((2, 1), (2, 3), (4, 2)):
        for positional in (False, True):
            init = {"d_model": width, "max_len": rows}
            yield start(target, call=False, init=init, positional=positional)


def starts() -> Iterator[Case]:
    """All of them; the search takes them in order of size."""
    yield from _tables()
    yield from _calls(FIXED)
    yield from _calls(LEARNED)


def sound(case: Case) -> bool:
    """An odd width and a sequence that is too long are edges of their own."""
    probe = case.probe
    if case.edge or probe.args is None or probe.target == TABLE:
        return True
    x, rows = probe.args[0], (probe.init or {})["max_len"]
    return bool(x.shape[-1] % 2 == 0 and x.shape[1] <= rows)


_X = ("B", "S", "D")
_INIT = {"D": "d_model", "M": "max_len"}
AXES = {
    FIXED: Axes({"x": _X, "pe": ("-", "M", "D")}, _INIT, steps={"D": 2}),
    LEARNED: Axes({"x": _X, "embedding.weight": ("M", "D")}, _INIT, steps={"D": 2}),
}
_SUM = Text(
    "[b, t, :] is token t of sequence b plus row t of the table",
    "[b, t, :] 是序列 b 的第 t 个词元加上表的第 t 行",
)
MEANING = {
    f"{TABLE}.result": Text(
        "row p belongs to position p, counted from 0; even columns hold sines, odd ones cosines",
        "第 p 行属于位置 p（从 0 数起）；偶数列是正弦，奇数列是余弦",
    ),
    f"{FIXED}.result": _SUM,
    f"{LEARNED}.result": _SUM,
}
SMALL = Small(starts, AXES, MEANING, sound)
