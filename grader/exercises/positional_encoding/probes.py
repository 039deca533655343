"""The calls that tell the faults of the positional encodings apart.

Tables are small: their accuracy is that of float32, and a frequency that is off by a rounding error is
off by as many as there are positions.  Most calls of the classes set the table through the state dict,
to random numbers: then the sum shows by itself, to the last digit, whatever the table is like.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.submission.fixed import fixed
from grader.text import Text

__all__ = ["FIXED", "LEARNED", "PROBES", "TABLE", "made", "module_case", "numbers", "table_case"]

TABLE = "sinusoidal_table"
FIXED = "SinusoidalPositionalEncoding"
LEARNED = "LearnedPositionalEncoding"


def numbers(seed: int, *shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """Normally distributed numbers."""
    g = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=g, dtype=torch.float64).to(dtype)


def table_case(name: str, max_len: int, d_model: int, *, tier: str = "core", condition: float = 4.0) -> Probe:
    """A probe of the function."""
    title = Text.same(f"sinusoidal_table({max_len}, {d_model})")
    return Probe(name, TABLE, title, (max_len, d_model), tier=tier, condition=condition)


def module_case(
    target: str,
    name: str,
    en: str,
    zh: str,
    x: Tensor,
    *,
    max_len: int = 9,
    seed: int = 1,
    own: bool = True,
    dropout: float = 0.0,
    **options: Any,
) -> Probe:
    """A probe of one of the classes; with `own`, its table is set to random numbers."""
    width = x.shape[-1]
    state: dict[str, Tensor] = {}
    if target == LEARNED or own:
        state = _table(target == LEARNED, seed + 500, max_len, width)
    init = {"d_model": width, "max_len": max_len, "dropout": dropout}
    options.setdefault("dtype", str(x.dtype).removeprefix("torch."))
    return Probe(name, target, Text(en, zh), (x,), init=init, state=state, **options)


@fixed
def _table(learned: bool, seed: int, max_len: int, width: int) -> dict[str, Tensor]:
    if learned:
        return {"embedding.weight": numbers(seed, max_len, width)}
    return {"pe": numbers(seed, 1, max_len, width)}


def made(target: str, name: str, d_model: int, max_len: int | None) -> Probe:
    """A probe that only constructs, and observes the state dict."""
    init = {"d_model": d_model}
    if max_len is not None:
        init["max_len"] = max_len
    words = ", ".join(f"{k}={v}" for k, v in init.items())
    title = Text(f"the state dict of {target}({words})", f"{target}({words}) 的 state dict")
    return Probe(name, target, title, None, init=init)


def _calls(target: str) -> tuple[Probe, ...]:
    """The calls that both classes get."""
    short = "fixed" if target == FIXED else "learned"
    f32, half = torch.float32, torch.bfloat16

    def case(name: str, en: str, zh: str, x: Tensor, **options: Any) -> Probe:
        return module_case(target, f"{short}-{name}", en, zh, x, **options)

    return (
        made(target, f"{short}-state", 6, 11),
        case("plain", "3 sequences of 5 tokens", "3 个长为 5 的序列", numbers(1, 3, 5, 4)),
        case("wide", "5 sequences of 3 tokens", "5 个长为 3 的序列", numbers(2, 5, 3, 16), max_len=7),
        case("square", "4 sequences of 4 tokens", "4 个长为 4 的序列", numbers(3, 4, 4, 4)),
        case("one", "a single sequence", "只有一个序列", numbers(4, 1, 6, 4)),
        case("token", "a single token", "只有一个词元", numbers(5, 1, 1, 4)),
        case(
            "full", "sequences as long as max_len", "长度等于 max_len 的序列", numbers(6, 2, 7, 4), max_len=7
        ),
        case("turned", "transposed input", "转置得到的输入", numbers(13, 4, 2, 4).transpose(0, 1)),
        case("grad", "the gradient", "梯度", numbers(7, 2, 3, 4), grad=True),
        case(
            "train", "dropout=1.0 in training mode", "训练模式下 dropout=1.0", numbers(8, 2, 3, 4),
            dropout=1.0, train=True,
        ),
        case(
            "train-none", "dropout=0.0 in training mode", "训练模式下 dropout=0.0", numbers(12, 2, 3, 4),
            train=True,
        ),
        case("eval", "dropout=1.0 in eval mode", "eval 模式下 dropout=1.0", numbers(9, 2, 3, 4), dropout=1.0),
        case("float32", "float32 input", "float32 输入", numbers(10, 2, 5, 4, dtype=f32), dtype=None),
        case("half", "bfloat16 input", "bfloat16 输入", numbers(11, 2, 5, 4, dtype=half), tier="edge"),
    )  # fmt: skip


PROBES: tuple[Probe, ...] = (
    table_case("table", 12, 8),
    table_case("table-narrow", 7, 4),
    table_case("table-wide", 5, 10),
    table_case("table-pair", 9, 2),
    table_case("table-square", 6, 6),
    table_case("table-odd", 6, 5, tier="edge"),
    table_case("table-odd-wide", 4, 9, tier="edge"),
    *_calls(FIXED),
    module_case(
        FIXED, "fixed-own", "the table it makes itself", "它自己生成的表", numbers(20, 3, 5, 4), own=False
    ),
    module_case(
        FIXED,
        "fixed-own-wide",
        "the table it makes itself, 8 wide",
        "它自己生成的、宽为 8 的表",
        numbers(21, 2, 12, 8, dtype=torch.float32) * 0.1,  # the table is not to drown in x
        max_len=13,
        own=False,
        dtype=None,
    ),
    module_case(
        FIXED, "fixed-own-ten", "the table it makes itself, 10 wide", "它自己生成的、宽为 10 的表",
        numbers(22, 2, 5, 10), max_len=5, own=False,
    ),
    module_case(
        FIXED, "fixed-odd", "an odd width", "奇数宽度", numbers(23, 2, 4, 5), own=False, tier="edge",
    ),
    *_calls(LEARNED),
)  # fmt: skip
