"""The models of the positional encodings (Vaswani et al. 2017, section 3.5).

The steps of the table are kept once per column and once per pair of columns, and the frequencies in
each of the forms in which they are usually written (a power to divide by, a logarithm to raise e to, a
factor): whichever the learner computes, the line can be found.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Model, State

__all__ = ["column", "drop", "learned", "sinusoidal", "spread", "table"]

table = Model("sinusoidal_table", ("max_len", "d_model"))
sinusoidal = Model("SinusoidalPositionalEncoding", ("x",), d_model=4, max_len=5000, dropout=0.0)
learned = Model("LearnedPositionalEncoding", ("x",), d_model=4, max_len=5000, dropout=0.0)


def column(s: State) -> Tensor:
    """The numbers of the columns (d_model,)."""
    return torch.arange(s.d_model, dtype=torch.float64)


def spread(even_columns: Tensor, odd_columns: Tensor, width: int) -> Tensor:
    """Interleaves (rows, ceil(width / 2)) and (rows, floor(width / 2)) to (rows, width)."""
    whole = torch.empty(len(even_columns), width, dtype=even_columns.dtype)
    whole[:, 0::2] = even_columns
    whole[:, 1::2] = odd_columns
    return whole


# -- the table --------------------------------------------------------------------------------------


@table.step
def positions(s: State) -> Tensor:
    return torch.arange(s.max_len, dtype=torch.float64)[:, None]  # (max_len, 1)


@table.step
def exponents(s: State) -> Tensor:
    found: Tensor = 2 * (column(s) // 2) / s.d_model  # (d_model,): the columns of a pair share one
    return found


@table.step
def pair_exponents(s: State) -> Tensor:
    found: Tensor = s.exponents[0::2]
    return found


@table.step
def base(s: State) -> float:
    return 10000.0


@table.step
def pair_logarithms(s: State) -> Tensor:
    found: Tensor = -s.pair_exponents * math.log(s.base)
    return found


@table.step
def powers(s: State) -> Tensor:
    found: Tensor = s.base**s.exponents
    return found


@table.step
def pair_powers(s: State) -> Tensor:
    found: Tensor = s.powers[0::2]
    return found


@table.step
def frequencies(s: State) -> Tensor:
    found: Tensor = 1 / s.powers
    return found


@table.step
def pair_frequencies(s: State) -> Tensor:
    found: Tensor = s.frequencies[0::2]
    return found


@table.step
def angles(s: State) -> Tensor:
    found: Tensor = s.positions * s.frequencies  # (max_len, d_model)
    return found


@table.step
def pair_angles(s: State) -> Tensor:
    found: Tensor = s.angles[:, 0::2]
    return found


@table.step
def even_columns(s: State) -> Tensor:
    found: Tensor = s.angles[:, 0::2].sin()
    return found


@table.step
def odd_columns(s: State) -> Tensor:
    found: Tensor = s.angles[:, 1::2].cos()
    return found


@table.step
def whole(s: State) -> Tensor:
    return spread(s.even_columns, s.odd_columns, s.d_model)  # (max_len, d_model)


@table.step
def fitted(s: State) -> Any:
    return s.whole  # where an odd d_model goes wrong


@table.step
def result(s: State) -> Any:
    return s.fitted


# -- the class around the table ---------------------------------------------------------------------

sinusoidal.include(table, *(name for name in table.steps if name != "result"))


@sinusoidal.step
def described(s: State) -> dict[str, str]:
    return {"pe": f"buffer {[1, s.max_len, s.d_model]}"}


@sinusoidal.step
def pe(s: State) -> Any:
    if "pe" in s.state:
        return s.state["pe"].detach()  # a buffer has no gradient
    s.precision = torch.float32 if s.precision is None else s.precision  # the table has no more
    return s.fitted[None]  # (1, max_len, d_model)


@sinusoidal.step
def rows(s: State) -> Any:
    return None if s.x is None else s.pe[:, : s.x.shape[1]]  # (1, S, d_model)


def summed(s: State) -> Any:
    return None if s.x is None else s.x + s.rows  # (B, S, d_model)


def drop(value: Any, s: State) -> Any:
    """What an ``nn.Dropout(s.dropout)`` gives in training; probes drop everything or nothing."""
    return value * 0 if s.dropout == 1.0 else value


def dropped(s: State) -> Any:
    return drop(s.summed, s) if s.train and s.x is not None else s.summed


def made_or_returned(s: State) -> Any:
    """A probe without a call observes the state dict."""
    return s.described if s.x is None else s.dropped


sinusoidal.step(summed)
sinusoidal.step(dropped)
sinusoidal.steps["result"] = made_or_returned


# -- the learned table ------------------------------------------------------------------------------


def described_learned(s: State) -> dict[str, str]:
    return {"embedding.weight": f"parameter {[s.max_len, s.d_model]}"}


learned.steps["described"] = described_learned


@learned.step
def ids(s: State) -> Any:
    return None if s.x is None else torch.arange(s.x.shape[1])  # (S,)


def looked_up(s: State) -> Any:
    return None if s.x is None else s.state["embedding.weight"][s.ids][None]  # (1, S, d_model)


learned.steps["rows"] = looked_up
learned.step(summed)
learned.step(dropped)
learned.steps["result"] = made_or_returned
