"""Small inputs of the tiny Transformer, for `grade repro`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from grader.exercises.encoder.model import positions
from grader.exercises.encoder_block.probes import OPEN_EPS, OPEN_EPS_32
from grader.exercises.encoder_block.small import BLOCK_STATE, eps_does_not_matter, open_eps, state_of
from grader.exercises.small import Axes, Case, Small, start, turned
from grader.exercises.tiny_transformer.model import shapes, tiny
from grader.text import Text

__all__ = ["SMALL"]

TARGET = "TinyTransformer"
EMBEDDING = "encoder.embedding.weight"
TABLE = "encoder.positional_encoding.pe"
SIZES = {"vocab_size": 3, "d_model": 2, "num_heads": 1, "d_ff": 1, "num_layers": 1, "max_len": 4}


def _case(
    draw: int,
    ids: Tensor,
    *,
    layers: int = 1,
    vocab: int = 4,
    width: int = 2,
    H: int = 1,
    dtype: torch.dtype = torch.float32,
    **options: Any,
) -> Case:
    """A call with small whole numbers for every weight, looked at where there are real tokens."""
    rows = ids.shape[1]
    init: dict[str, Any] = {
        "vocab_size": vocab,
        "d_model": width,
        "num_heads": H,
        "d_ff": 1,
        "num_layers": layers,
    }
    init |= {"max_len": rows, "dropout": 0.0, "causal": True, "pad_id": 0, "norm_first": True}
    init |= options.pop("init", {})
    state = state_of(shapes(vocab, width, 1, layers, bool(init["norm_first"])), draw, dtype)
    embedding = torch.tensor([[(3 * v + 2 * d + draw) % 5 - 2.0 for d in range(width)] for v in range(vocab)])
    state[EMBEDDING] = embedding.to(dtype)
    state[TABLE] = positions(rows, width)[None].to(dtype)
    if dtype is not torch.float32:
        options["dtype"] = str(dtype).removeprefix("torch.")
    options.setdefault("condition", OPEN_EPS if dtype is torch.float64 else OPEN_EPS_32)
    return _looking(start(TARGET, ids, init=init, state=state, **options))


def _looking(case: Case) -> Case:
    """What is returned at padded positions is open, so that it is not looked at."""
    probe = case.probe
    if probe.args is None:
        return case
    init = probe.init or {}
    real = probe.args[0] != init.get("pad_id", 0)
    if bool(real.all()):
        return replace(case.but(where=None), focus=None)
    where = real[..., None].expand(*real.shape, init["vocab_size"])
    return replace(case.but(where=where), focus=f"token_ids != {init.get('pad_id', 0)}")


def _calls(draw: int, mode: dict[str, bool]) -> Iterator[Case]:
    for row in ([[1]], [[1, 2]], [[1], [2]], [[1, 2], [2, 3]], [[1, 2, 3]]):
        ids = torch.tensor(row)
        for width, H in ((2, 1), (2, 2), (4, 2)):
            for layers in (0, 1, 2):
                yield _case(draw, ids, layers=layers, width=width, H=H, init=mode)
        yield _case(draw, turned(ids), init=mode)
    for row in ([[1]], [[1, 2]], [[1, 2], [2, 3]]):
        ids = torch.tensor(row)
        for layers in (0, 1):
            yield _case(draw, ids, layers=layers, init={**mode, "dropout": 1.0})
            yield _case(draw, ids, layers=layers, init=mode, train=True)
            yield _case(draw, ids, layers=layers, init=mode, dtype=torch.float64)
            seed = torch.zeros(*ids.shape, 4)
            seed[..., 0] = 1.0
            yield _case(draw, ids, layers=layers, init=mode, seed=seed)
            yield _case(draw, ids - 1, layers=layers, init={**mode, "pad_id": 3}, seed=seed)


def _padded(draw: int, mode: dict[str, bool]) -> Iterator[Case]:
    rows = ([[1, 0]], [[0, 1]], [[1, 0, 2]], [[0, 1, 2]], [[1, 0], [2, 3]], [[1, 2, 0], [3, 0, 0]])
    for row in rows:
        ids = torch.tensor(row)
        for layers in (1, 2):
            for pad in ({}, {"pad_id": 3}, {"pad_id": 1}):
                yield _case(draw, ids, layers=layers, init={**mode, **pad})
        yield _case(draw, ids, init=mode, train=True)


def _edges(draw: int, mode: dict[str, bool]) -> Iterator[Case]:
    yield _case(draw, torch.tensor([[1, 2], [0, 0]]), init=mode, tier="edge")
    for dtype in (torch.float16, torch.bfloat16):
        for row in ([[1, 2]], [[1, 0]]):
            yield _case(draw, torch.tensor(row), dtype=dtype, condition=10.0, init=mode, tier="edge")


def starts() -> Iterator[Case]:
    """All of them; the search takes them in order of size."""
    yield start(TARGET, call=False, init={**SIZES, "dropout": 0.0}, positional=True)
    for mode in ({}, {"causal": False}, {"norm_first": False}, {"causal": False, "norm_first": False}):
        for layers in (0, 1, 2):
            yield start(TARGET, call=False, init={**SIZES, "num_layers": layers, **mode})
        yield start(TARGET, call=False, init={**SIZES, "d_ff": 3, **mode})
        yield from _calls(1, mode)
        yield from _padded(1, mode)
        yield from _edges(1, mode)


def sound(case: Case) -> bool:
    """The eps of the norms is open; rows of padding alone are an edge."""
    probe = case.probe
    if probe.args is None:
        return True
    ids, init = probe.args[0], probe.init or {}
    if int(ids.max()) >= init["vocab_size"] or (init["d_model"] % 2 and not case.edge):
        return False
    if case.edge:
        return eps_does_not_matter(tiny, case)
    known = bool((ids != init.get("pad_id", 0)).any(dim=-1).all())
    return known and ids.shape[1] <= init["max_len"] and eps_does_not_matter(tiny, case)


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
            if parts[1] == "layers":
                number = int(parts[2])
                if number == gone:
                    continue
                parts[2] = str(number - (number > gone))
            kept[".".join(parts)] = value
        yield case.but(init={**init, "num_layers": layers - 1}, state=kept)


AXES = Axes(
    {
        "token_ids": ("B", "S"),
        **BLOCK_STATE,
        "embedding.weight": ("V", "D"),
        "output_projection.weight": ("V", "D"),
        "output_projection.bias": ("V",),
        "norm.weight": ("D",),
        "pe": ("-", "M", "D"),
    },
    {"D": "d_model", "F": "d_ff", "M": "max_len", "V": "vocab_size"},
    steps={"D": 2},
    heads="num_heads",
)
MEANING = {
    f"{TARGET}.result": Text(
        "[b, t, :] are the logits of the token that follows token t of sequence b",
        "[b, t, :] 是序列 b 中第 t 个词元之后那个词元的 logits",
    ),
}
SMALL = Small(starts, {TARGET: AXES}, MEANING, sound, settled, moves)
