"""Small inputs of the encoder, for `grade repro`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from grader.exercises.encoder.model import encoder, positions, shapes
from grader.exercises.encoder_block.probes import OPEN_EPS, OPEN_EPS_32
from grader.exercises.encoder_block.small import BLOCK_STATE, eps_does_not_matter, open_eps, state_of
from grader.exercises.small import Axes, Case, Small, keep_mask, open_rows, start, turned
from grader.text import Text

__all__ = ["SMALL"]

TARGET = "TransformerEncoder"
TABLE = "positional_encoding.pe"


def _case(
    draw: int,
    ids: Tensor,
    *,
    layers: int = 1,
    vocab: int = 4,
    width: int = 2,
    H: int = 1,
    rows: int | None = None,
    mask: Tensor | None = None,
    dtype: torch.dtype = torch.float32,
    **options: Any,
) -> Case:
    """A call with small whole numbers for every weight, looked at where there are real tokens."""
    rows = ids.shape[1] if rows is None else rows
    init = {
        "vocab_size": vocab,
        "d_model": width,
        "num_heads": H,
        "d_ff": 1,
        "num_layers": layers,
        "dropout": 0.0,
        "max_len": rows,
    }
    init |= options.pop("init", {})
    zero = options.pop("zero", ())
    final = bool(init.get("norm_first"))
    state = state_of(shapes(vocab, width, 1, layers, final), draw, dtype, zero)
    embedding = torch.tensor([[(3 * v + 2 * d + draw) % 5 - 2.0 for d in range(width)] for v in range(vocab)])
    state["embedding.weight"] = embedding.to(dtype)
    state[TABLE] = positions(rows, width)[None].to(dtype)
    if dtype is not torch.float32:
        options["dtype"] = str(dtype).removeprefix("torch.")
    options.setdefault("condition", OPEN_EPS if dtype is torch.float64 else OPEN_EPS_32)
    kwargs = {} if mask is None else {"mask": mask}
    return _looking(start(TARGET, ids, kwargs=kwargs, init=init, state=state, **options))


def _looking(case: Case) -> Case:
    """What is returned at padded positions is open, so that it is not looked at."""
    probe = case.probe
    if probe.args is None:
        return case
    init = probe.init or {}
    real = probe.args[0] != init.get("pad_id", 0)
    if bool(real.all()):
        return replace(case.but(where=None), focus=None)
    where = real[..., None].expand(*real.shape, init["d_model"])
    return replace(case.but(where=where), focus=f"token_ids != {init.get('pad_id', 0)}")


def _calls(draw: int, first: dict[str, bool]) -> Iterator[Case]:
    quiet = ("W_o.weight", "W_o.bias", "linear2.weight", "linear2.bias")
    for row in ([[1]], [[1, 2]], [[1], [2]], [[1, 2], [2, 3]]):
        ids = torch.tensor(row)
        for width, H in ((2, 1), (2, 2), (4, 2)):
            for layers in (0, 1, 2):
                yield _case(draw, ids, layers=layers, width=width, H=H, init=first)
            yield _case(draw, ids, width=width, H=H, init=first, rows=ids.shape[1] + 1)
        yield _case(draw, ids, layers=2, init=first, zero=quiet)
        yield _case(draw, turned(ids), init=first)
    for row in ([[1]], [[1, 2]]):
        ids = torch.tensor(row)
        for layers in (0, 1):
            yield _case(draw, ids, layers=layers, init={**first, "dropout": 1.0})
            yield _case(draw, ids, layers=layers, init=first, train=True)
            yield _case(draw, ids, layers=layers, init=first, dtype=torch.float64)
        seed = torch.zeros(*ids.shape, 2)
        seed[..., 0] = 1.0
        for layers in (0, 1, 2):
            yield _case(draw, ids, layers=layers, init=first, seed=seed)
            yield _case(draw, ids - 1, layers=layers, init={**first, "pad_id": 3}, seed=seed)


def _padded(draw: int, first: dict[str, bool]) -> Iterator[Case]:
    for row in ([[1, 0]], [[0, 1]], [[1, 0], [2, 3]], [[1, 0, 2]], [[1, 2, 0], [3, 0, 0]]):
        ids = torch.tensor(row)
        for layers in (1, 2):
            for pad in ({}, {"pad_id": 3}, {"pad_id": 1}):
                yield _case(draw, ids, layers=layers, init={**first, **pad})
        B, S = ids.shape
        for shape in ((S, S), (B, 1, S), (B, S, S), (B, 1, 1, S)):
            yield _case(draw, ids, init=first, mask=keep_mask(draw, *shape))
            yield _case(draw, ids + 1, vocab=5, init=first, mask=keep_mask(draw, *shape))
        yield _case(draw, ids + 1, vocab=5, layers=2, init=first, mask=keep_mask(draw, S, S))


def _edges(draw: int, first: dict[str, bool]) -> Iterator[Case]:
    options: dict[str, Any] = {"init": first, "tier": "edge"}
    for layers in (0, 1):
        yield _case(draw, torch.tensor([[1, 2]]), layers=layers, rows=1, refuses=(2, 1), **options)
        yield _case(draw, torch.tensor([[1, 2, 3]]), layers=layers, rows=2, refuses=(3, 2), **options)
    yield _case(draw, torch.tensor([[1, 2], [0, 0]]), **options)
    yield _case(draw, torch.tensor([[1, 2]]), mask=torch.tensor([[True, False], [False, False]]), **options)
    for dtype in (torch.float16, torch.bfloat16):
        for row in ([[1, 2]], [[1, 0]]):
            yield _case(draw, torch.tensor(row), dtype=dtype, condition=10.0, **options)


def starts() -> Iterator[Case]:
    """All of them; the search takes them in order of size."""
    sizes = {"vocab_size": 3, "d_model": 2, "num_heads": 1, "d_ff": 1, "num_layers": 2, "max_len": 4}
    order = {**sizes, "num_layers": 1, "dropout": 0.0}
    order = {
        n: order[n]
        for n in ("vocab_size", "d_model", "num_heads", "d_ff", "num_layers", "dropout", "max_len")
    }
    yield start(TARGET, call=False, init=order, positional=True)
    for first in ({}, {"norm_first": True}):
        for layers in (0, 1, 2, 3):
            yield start(TARGET, call=False, init={**sizes, "num_layers": layers, **first})
        yield start(TARGET, call=False, init={**sizes, "d_ff": 3, **first})
        yield from _calls(1, first)
        yield from _padded(1, first)
        yield from _edges(1, first)


def sound(case: Case) -> bool:
    """The eps of the norms is open; rows without an allowed key, and long texts, are edges."""
    probe = case.probe
    if probe.args is None:
        return True
    ids, init = probe.args[0], probe.init or {}
    if int(ids.max()) >= init["vocab_size"] or (init["d_model"] % 2 and not case.edge):
        return False
    if case.edge:
        return case.refuses is not None or eps_does_not_matter(encoder, case)
    real = ids != init.get("pad_id", 0)
    known = "mask" in probe.kwargs or bool(real.any(dim=-1).all())
    masked = open_rows(probe.kwargs.get("mask"))
    return known and masked and ids.shape[1] <= init["max_len"] and eps_does_not_matter(encoder, case)


def settled(case: Case) -> Case:
    """With the table that the formula gives, looked at where there are real tokens, the eps left open."""
    probe = case.probe
    if probe.state and TABLE in probe.state:
        old, init = probe.state[TABLE], probe.init or {}
        right = positions(init["max_len"], init["d_model"])[None].to(old.dtype)
        if old.shape != right.shape or not torch.equal(old, right):
            case = case.but(state={**probe.state, TABLE: right})
    return _looking(open_eps(case))


def moves(case: Case) -> Iterator[Case]:
    """Leaves out the last block or the first one."""
    probe = case.probe
    init, state = dict(probe.init or {}), dict(probe.state or {})
    layers = init["num_layers"]
    for gone in {layers - 1, 0} if layers else ():
        kept: dict[str, Tensor] = {}
        for name, value in state.items():
            parts = name.split(".")
            if parts[0] == "layers":
                number = int(parts[1])
                if number == gone:
                    continue
                parts[1] = str(number - (number > gone))
            kept[".".join(parts)] = value
        yield case.but(init={**init, "num_layers": layers - 1}, state=kept)


_MASKS = {"mask/2": ("S", "S"), "mask/3": ("B", "S", "S"), "mask/4": ("B", "H", "S", "S")}
AXES = Axes(
    {
        "token_ids": ("B", "S"),
        **_MASKS,
        **BLOCK_STATE,
        "embedding.weight": ("V", "D"),
        "norm.weight": ("D",),
        "pe": ("-", "M", "D"),
    },
    {"D": "d_model", "F": "d_ff", "M": "max_len", "V": "vocab_size"},
    steps={"D": 2},
    heads="num_heads",
)
MEANING = {
    f"{TARGET}.result": Text(
        "[b, t, :] is what the encoder makes of token t of sequence b",
        "[b, t, :] 是编码器对序列 b 的第 t 个词元给出的结果",
    ),
}
SMALL = Small(starts, {TARGET: AXES}, MEANING, sound, settled, moves)
