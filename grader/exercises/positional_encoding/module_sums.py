"""Mistakes in the classes: how the rows are added, dropout, and what is returned."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from grader.diagnosis.model import State
from grader.exercises.positional_encoding.catalogue import (
    BOTH_MODULES,
    CATALOGUE,
    LEARNED,
    called,
    replaces,
)
from grader.exercises.positional_encoding.model import drop

__all__: list[str] = []


def _in_sum(models: tuple[Any, ...], id: str, function: Callable[[State], Any], **options: Any) -> None:
    replaces(models, "summed", id=id, **options)(called(function))


def _repeated(s: State) -> Any:
    return s.rows.expand(len(s.x), -1, -1)


_in_sum(BOTH_MODULES, "position-not-added", lambda s: s.x, absent=True)
_in_sum(BOTH_MODULES, "position-not-added", _repeated)
_in_sum(BOTH_MODULES, "position-not-added", lambda s: s.rows)
_in_sum(BOTH_MODULES, "position-not-added", lambda s: s.rows[0])
_in_sum(BOTH_MODULES, "position-concatenated", lambda s: torch.cat([s.x, _repeated(s)], dim=-1))
_in_sum(BOTH_MODULES, "position-concatenated", lambda s: torch.cat([_repeated(s), s.x], dim=-1))
_in_sum(BOTH_MODULES, "position-concatenated", lambda s: torch.cat([s.x, _repeated(s)], dim=1))
_in_sum(BOTH_MODULES, "position-concatenated", lambda s: torch.cat([s.x, s.rows], dim=-1))
_in_sum(BOTH_MODULES, "position-multiplied", lambda s: s.x * s.rows)


def _root(s: State) -> float:
    return math.sqrt(s.x.shape[-1])


_in_sum(BOTH_MODULES, "position-scaled", lambda s: s.x * _root(s) + s.rows)
_in_sum(BOTH_MODULES, "position-scaled", lambda s: s.x + s.rows / _root(s))
_in_sum(BOTH_MODULES, "position-scaled", lambda s: s.x + s.rows * _root(s))
_in_sum(BOTH_MODULES, "position-scaled", lambda s: s.x / _root(s) + s.rows)
_in_sum(BOTH_MODULES, "position-scaled", lambda s: (s.x + s.rows) * _root(s))
_in_sum(BOTH_MODULES, "position-scaled", lambda s: (s.x + s.rows) / _root(s))
_in_sum(BOTH_MODULES, "position-scaled", lambda s: (s.x + s.rows) / 2)
_in_sum(BOTH_MODULES, "position-scaled", lambda s: (s.x + s.rows) * 2)
replaces(BOTH_MODULES, "dropped", id="position-scaled")(
    called(lambda s: s.x + (drop(s.summed, s) if s.train else s.summed))  # x once more, after the dropout
)
for _model in BOTH_MODULES:
    CATALOGUE.family(
        _model, "summed", name="factor", id="position-scaled", tries=(2.0, 0.5, -1.0, 0.1, 0.01, 10.0)
    )(lambda s, factor: None if s.x is None else s.x + factor * s.rows)
    CATALOGUE.family(_model, "summed", name="factor", id="position-scaled", tries=(2.0, 0.5, 10.0))(
        lambda s, factor: None if s.x is None else factor * s.x + s.rows
    )


def _in_place(s: State) -> Any:
    if s.probe.grad:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation")
    s.touch("x")
    return s.x + s.rows


_in_sum(BOTH_MODULES, "input-modified", _in_place)


# -- dropout ----------------------------------------------------------------------------------------


@replaces(BOTH_MODULES, "dropped", absent=True)
def dropout_missing(s: State) -> Any:
    return s.summed


@replaces(BOTH_MODULES, "dropped", id="dropout-in-eval")
@called
def dropout_in_eval(s: State) -> Any:
    return drop(s.summed, s)


@replaces(BOTH_MODULES, "dropped", id="dropout-in-eval")
@called
def dropout_in_eval_only(s: State) -> Any:
    return s.summed if s.train else drop(s.summed, s)


def _undropped(s: State) -> Any:
    return s.summed


def _trained(value: Any, s: State) -> Any:
    return drop(value, s) if s.train else value


_EARLY: dict[str, Any] = {"dropped": _undropped}
_in_sum(BOTH_MODULES, "dropout-before-addition", lambda s: s.x + _trained(s.rows, s), also=_EARLY)
_in_sum(BOTH_MODULES, "dropout-before-addition", lambda s: _trained(s.x, s) + s.rows, also=_EARLY)


# -- what is returned -------------------------------------------------------------------------------


@replaces(BOTH_MODULES, "result", id="output-detached")
def output_detached(s: State) -> Any:
    return s.described if s.x is None else s.dropped.detach()


_in_sum(BOTH_MODULES, "output-detached", lambda s: s.x.detach() + s.rows)
_in_sum(LEARNED, "embedding-frozen", lambda s: s.x + s.rows.detach())


@replaces(BOTH_MODULES, "result", id="dtype-changed")
def sum_in_float32(s: State) -> Any:
    if s.x is None:
        return s.described
    s.out_dtype = s.precision = torch.float32
    return s.dropped


@replaces(BOTH_MODULES, "result", id="dtype-changed")
def through_float32(s: State) -> Any:
    if s.x is None:
        return s.described
    s.precision = torch.float32
    return s.dropped


def _with(second: Callable[[State], Any]) -> None:
    replaces(BOTH_MODULES, "result", id="returns-tuple")(
        lambda s: s.described if s.x is None else (s.dropped, second(s))
    )


_with(lambda s: s.rows)
_with(lambda s: None)
_with(lambda s: s.rows[0])


# -- another rate -----------------------------------------------------------------------------------


@replaces(BOTH_MODULES, "dropped", id="dropout-rate-wrong")
@called
def share_kept_for_rate(s: State) -> Any:
    """`dropout` taken for the share that is kept: all is lost at 0, nothing at 1."""
    return s.summed * 0 if s.train and s.dropout == 0.0 else s.summed


CATALOGUE.by_check("dropout-twice", "dropout-whole-positions", "dropout-on-each-summand", "table-overwritten")
CATALOGUE.by_check("dropout-default-wrong", "max-len-default-wrong", "super-init-missing")
CATALOGUE.place("positions-in-half-precision", "arange", "type_as", "to")
CATALOGUE.by_check("positions-in-half-precision", "learned-positions-on-cpu", "device-hard-coded")
CATALOGUE.by_check("too-long-silent", "dropout-not-rescaled", "embedding-missing", "table-low-precision")
