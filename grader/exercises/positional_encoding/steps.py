"""What the steps of the positional encodings are called, and the ways in which they may be taken.

A table is computed once per column or once per pair of columns; the frequencies as powers to divide by
or as exponentials of logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from grader.diagnosis.model import Model, State
from grader.diagnosis.route import Route, StepName, named
from grader.exercises.positional_encoding.model import learned, sinusoidal, table

__all__ = ["ROUTES"]

BASE = 10000.0
TABLE: Mapping[str, StepName] = {
    "positions": named("the positions 0, 1, 2, …", "位置 0, 1, 2, …", "T C"),
    "numbers": named("the even numbers 2i", "偶数 2i", "P"),
    "columns": named("the numbers of the columns", "列号", "C"),
    "exponents": named("the exponents 2i/d_model", "指数 2i/d_model", "C"),
    "pair_exponents": named("the exponents 2i/d_model", "指数 2i/d_model", "P"),
    "logarithms": named("the logarithms of the frequencies", "频率的对数", "C"),
    "pair_logarithms": named("the logarithms of the frequencies", "频率的对数", "P"),
    "powers": named("the powers of 10000", "10000 的幂", "C"),
    "pair_powers": named("the powers of 10000", "10000 的幂", "P"),
    "frequencies": named("the frequencies", "频率", "C"),
    "pair_frequencies": named("the frequencies", "频率", "P"),
    "angles": named("the angles, position times frequency", "角度，即位置乘以频率", "T C"),
    "pair_angles": named("the angles, position times frequency", "角度，即位置乘以频率", "T P"),
    "even_columns": named("the sines for the even columns", "偶数列的正弦", "T P"),
    "odd_columns": named("the cosines for the odd columns", "奇数列的余弦", "T P"),
    "whole": named("the table of sines and cosines", "正弦与余弦的表", "T C"),
    "fitted": named("the table of sines and cosines", "正弦与余弦的表", "T C"),
}
ADDED: Mapping[str, StepName] = {
    **TABLE,
    "pe": named("the buffer with the table", "存放表的缓冲区", "B T F"),
    "ids": named("the numbers of the positions", "位置编号", "T"),
    "rows": named("the rows for these positions", "这些位置对应的行", "B T F"),
    "summed": named("x plus the rows", "x 加上这些行", "B T F"),
    "dropped": named("the sum after dropout", "dropout 之后的和", "B T F"),
}
FORMS: tuple[str, ...] = ("numbers", "pair_exponents", "pair_powers", "pair_frequencies", "pair_angles")
FORMS += ("even_columns", "odd_columns", "whole")


def positions(s: State) -> Tensor:
    return torch.arange(s.max_len, dtype=torch.float64)[:, None]  # (max_len, 1)


def numbers(s: State) -> Tensor:
    return torch.arange(0, s.d_model, 2, dtype=torch.float64)  # (pairs,)


def columns(s: State) -> Tensor:
    return torch.arange(s.d_model, dtype=torch.float64)  # (d_model,)


def exponents(s: State) -> Tensor:
    found: Tensor = 2 * (s.columns // 2) / s.d_model  # (d_model,): the columns of a pair share one
    return found


def whole(s: State) -> Tensor:
    found = torch.empty(s.max_len, s.d_model, dtype=torch.float64)
    found[:, 0::2] = s.even_columns
    found[:, 1::2] = s.odd_columns
    return found  # (max_len, d_model)


def _table(pairs: bool, logarithms: bool) -> Model:
    """The table per pair of columns or per column, by logarithms or by powers."""
    model = Model(table.target, table.inputs)
    prefix = "pair_" if pairs else ""

    def get(s: State, name: str) -> Tensor:
        found: Tensor = getattr(s, f"{prefix}{name}")
        return found

    model.steps["positions"] = positions
    if pairs:
        model.steps["numbers"] = numbers
        model.steps["pair_exponents"] = lambda s: s.numbers / s.d_model
    else:
        model.steps["columns"] = columns
        model.steps["exponents"] = exponents
    if logarithms:
        model.steps[f"{prefix}logarithms"] = lambda s: -get(s, "exponents") * math.log(BASE)
        model.steps[f"{prefix}frequencies"] = lambda s: get(s, "logarithms").exp()
    else:
        model.steps[f"{prefix}powers"] = lambda s: BASE ** get(s, "exponents")
        model.steps[f"{prefix}frequencies"] = lambda s: 1 / get(s, "powers")
    model.steps[f"{prefix}angles"] = lambda s: s.positions * get(s, "frequencies")
    even, odd = (slice(None), slice(None)) if pairs else (slice(0, None, 2), slice(1, None, 2))
    model.steps["even_columns"] = lambda s: get(s, "angles")[:, even].sin()
    model.steps["odd_columns"] = lambda s: get(s, "angles")[:, odd].cos()[:, : s.d_model // 2]
    model.steps["whole"] = whole
    model.steps["result"] = lambda s: s.whole
    return model


def _sizes(s: State) -> dict[str, int]:
    return {"d_model": int(s.d_model)}


ROUTES: Mapping[str, tuple[Route, ...]] = {
    table.target: (
        Route(_table(pairs=True, logarithms=False), TABLE, sizes=_sizes),
        Route(_table(pairs=True, logarithms=True), TABLE, sizes=_sizes, instead_of=FORMS),
        Route(_table(pairs=False, logarithms=False), TABLE, sizes=_sizes, instead_of=FORMS),
        Route(_table(pairs=False, logarithms=True), TABLE, sizes=_sizes, instead_of=FORMS),
    ),
    sinusoidal.target: (Route(sinusoidal, ADDED, sizes=_sizes, kept={"rows": "pe"}),),
    learned.target: (Route(learned, ADDED, sizes=_sizes),),
}
