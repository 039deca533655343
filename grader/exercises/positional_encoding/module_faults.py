"""Mistakes in the classes: where the table is kept, which rows are taken, how they are added."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import embedding

from grader.diagnosis.model import ANYTHING, State
from grader.exercises.positional_encoding.catalogue import BOTH_MODULES, CATALOGUE, replaces
from grader.exercises.positional_encoding.model import drop, learned, sinusoidal

__all__: list[str] = []

FIXED, LEARNED = (sinusoidal,), (learned,)


def called(function: Callable[[State], Any]) -> Callable[[State], Any]:
    """The step, left out where nothing is called."""

    def step(s: State) -> Any:
        return None if s.x is None else function(s)

    return step


# -- where the table is kept ------------------------------------------------------------------------


def _described(words: Callable[[State], dict[str, str]]) -> dict[str, Any]:
    return {"described": words}


def _own_table(s: State) -> Any:
    """The table that was made at construction: what the state dict is set to does not reach it."""
    s.precision = s.precision or torch.float32
    return s.fitted[None]


_PARAMETER = _described(lambda s: {"pe": f"parameter {[1, s.max_len, s.d_model]}"})


@replaces(FIXED, "pe", id="table-is-parameter", also=_PARAMETER)
def table_is_parameter(s: State) -> Any:
    return s.state["pe"] if "pe" in s.state else _own_table(s)  # the gradient reaches it


@replaces(FIXED, "pe", id="table-is-parameter", also=_PARAMETER)
def table_is_frozen_parameter(s: State) -> Any:
    return s.state["pe"].detach() if "pe" in s.state else _own_table(s)


replaces(FIXED, "pe", id="table-not-a-buffer", also=_described(lambda s: {}))(_own_table)


def _shaped(shape: Callable[[State], list[int]], kind: str = "buffer") -> None:
    also = _described(lambda s: {"pe": f"{kind} {shape(s)}"})
    replaces(FIXED, "pe", id="table-shape", also=also)(_own_table)


_shaped(lambda s: [s.max_len, s.d_model])
_shaped(lambda s: [s.max_len, 1, s.d_model])
_shaped(lambda s: [1, 1, s.max_len, s.d_model])
_shaped(lambda s: [1, 5000, s.d_model])
_shaped(lambda s: [5000, s.d_model])
_shaped(lambda s: [1, s.max_len + 1, s.d_model])


def _sizes_exchanged(s: State) -> Any:
    return torch.zeros(1, s.d_model, s.max_len, dtype=torch.float64)  # nearly always too narrow to add


replaces(
    FIXED, "pe", id="table-shape", also=_described(lambda s: {"pe": f"buffer {[1, s.d_model, s.max_len]}"})
)(_sizes_exchanged)


def _learned_size(shape: Callable[[State], list[int]], result: Callable[[State], Any]) -> None:
    """The weights that are set do not fit, so the numbers are those of the initialisation."""
    also = _described(lambda s: {"embedding.weight": f"parameter {shape(s)}"})
    also["result"] = lambda s: s.described if s.x is None else result(s)
    replaces(LEARNED, "rows", id="learned-table-size", also=also)(called(lambda s: torch.zeros(1)))


def _misnamed(name: str) -> None:
    """The table is there under another name: nothing can be set, so the numbers are not known."""
    also = _described(lambda s: {name: f"parameter {[s.max_len, s.d_model]}"})
    also["result"] = lambda s: s.described if s.x is None else ANYTHING
    replaces(LEARNED, "rows", id="embedding-missing", also=also)(called(lambda s: torch.zeros(1)))


for _name in ("embedding", "pe", "pe.weight", "pos_embedding.weight", "position_embedding.weight"):
    _misnamed(_name)


def _too_narrow(s: State) -> Any:
    raise RuntimeError("The size of tensor a must match the size of tensor b")


def _too_narrow_or_long(s: State) -> Any:
    if s.x.shape[1] > s.d_model:
        raise ValueError("longer than the table")
    return _too_narrow(s)


_learned_size(lambda s: [s.max_len + 1, s.d_model], lambda s: ANYTHING)
_learned_size(lambda s: [5000, s.d_model], lambda s: ANYTHING)
_learned_size(lambda s: [s.d_model, s.max_len], _too_narrow)
_learned_size(lambda s: [s.d_model, s.max_len], _too_narrow_or_long)


# -- which rows -------------------------------------------------------------------------------------


@replaces(FIXED, "rows", id="position-over-batch")
@called
def row_per_sequence(s: State) -> Any:
    return s.pe[0, : len(s.x), None]  # (B, 1, d_model)


@replaces(FIXED, "rows", id="position-over-batch")
@called
def rows_of_batch(s: State) -> Any:
    return s.pe[:, : len(s.x)]  # (1, B, d_model)


@replaces(FIXED, "rows", id="table-not-sliced")
@called
def table_not_sliced(s: State) -> Any:
    return s.pe  # (1, max_len, d_model), as pe[: len(x)] is too: the first axis has length 1


@replaces(LEARNED, "rows", id="table-not-sliced")
@called
def learned_table_not_sliced(s: State) -> Any:
    return s.state["embedding.weight"][None]


@replaces(LEARNED, "rows", id="position-over-batch")
@called
def learned_row_per_sequence(s: State) -> Any:
    return s.state["embedding.weight"][: len(s.x), None]


@replaces(LEARNED, "rows", id="position-over-batch")
@called
def learned_rows_of_batch(s: State) -> Any:
    return s.state["embedding.weight"][None, : len(s.x)]


@replaces(FIXED, "rows", id="only-one-position-row")
@called
def first_row(s: State) -> Any:
    return s.pe[:, :1]


@replaces(FIXED, "rows", id="only-one-position-row")
@called
def last_row(s: State) -> Any:
    return s.pe[:, s.x.shape[1] - 1]


@replaces(FIXED, "rows", id="only-one-position-row")
@called
def row_of_length(s: State) -> Any:
    return s.pe[:, s.x.shape[1]]


@replaces(FIXED, "rows", id="last-rows-taken")
@called
def last_rows_taken(s: State) -> Any:
    return s.pe[:, s.pe.shape[1] - s.x.shape[1] :]


@replaces(FIXED, "rows", id="position-from-one")
@called
def rows_from_one(s: State) -> Any:
    return s.pe[:, 1 : s.x.shape[1] + 1]


@replaces(FIXED, "rows", id="position-reversed")
@called
def rows_reversed(s: State) -> Any:
    return s.pe[:, : s.x.shape[1]].flip(1)


def _looked_up(id: str, ids: Callable[[int], Tensor]) -> None:
    replaces(LEARNED, "ids", id=id)(called(lambda s: ids(s.x.shape[1])))


_looked_up("learned-constant-position", lambda S: torch.zeros(S, dtype=torch.long))
_looked_up("learned-constant-position", lambda S: torch.full((S,), S - 1))
_looked_up("learned-constant-position", lambda S: torch.full((S,), S))
_looked_up("position-from-one", lambda S: torch.arange(1, S + 1))
_looked_up("position-reversed", lambda S: torch.arange(S).flip(0))


@replaces(LEARNED, "rows", id="tokens-as-positions")
@called
def tokens_as_positions(s: State) -> Any:
    return embedding(s.x.long(), s.state["embedding.weight"])  # raises for -1, and beyond the last row


@replaces(LEARNED, "rows", id="tokens-as-positions")
@called
def floats_as_positions(s: State) -> Any:
    raise RuntimeError("Expected tensor for argument 'indices' to have scalar types: Long, Int")


@replaces(LEARNED, "rows", id="last-rows-taken")
@called
def last_learned_rows(s: State) -> Any:
    return s.state["embedding.weight"][None, s.max_len - s.x.shape[1] :]


@replaces(LEARNED, "rows", id="position-over-batch")
@called
def column_of_rows(s: State) -> Any:
    return s.state["embedding.weight"][: s.x.shape[1], None]  # (S, 1, d_model)


@replaces(FIXED, "rows", id="position-over-features")
@called
def rows_of_width(s: State) -> Any:
    return s.pe[:, : s.x.shape[2]]


@replaces(FIXED, "rows", id="position-over-features")
@called
def checked_rows_of_width(s: State) -> Any:
    if s.x.shape[2] > s.max_len:
        raise ValueError("the width is longer than the table")
    return s.pe[:, : s.x.shape[2]]


@replaces(LEARNED, "rows", id="position-over-features")
@called
def learned_rows_of_width(s: State) -> Any:
    if s.x.shape[2] > s.max_len:
        raise IndexError("index out of range in self")
    return s.state["embedding.weight"][None, : s.x.shape[2]]


@replaces(LEARNED, "rows", id="position-over-features")
@called
def checked_learned_rows_of_width(s: State) -> Any:
    if s.x.shape[2] > s.max_len:
        raise ValueError("the width is longer than the table")
    return s.state["embedding.weight"][None, : s.x.shape[2]]


@replaces(LEARNED, "rows", id="first-row-untrained")
@called
def first_row_untrained(s: State) -> Any:
    weight = s.state["embedding.weight"]
    whole = torch.cat([weight[:1].detach(), weight[1:]])  # padding_idx=0: no gradient for that row
    return whole[None, : s.x.shape[1]]


def _refuses_full(model_rows: Callable[[State], Any]) -> Callable[[State], Any]:
    def rows(s: State) -> Any:
        if s.x.shape[1] >= s.max_len:
            raise ValueError("too long")
        return model_rows(s)

    return called(rows)


replaces(FIXED, "rows", id="length-check-off-by-one")(_refuses_full(sinusoidal.steps["rows"]))
replaces(LEARNED, "rows", id="length-check-off-by-one")(_refuses_full(learned.steps["rows"]))


# -- the sum ----------------------------------------------------------------------------------------


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
_in_sum(LEARNED, "output-detached", lambda s: s.x + s.rows.detach())


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


CATALOGUE.by_check("dropout-twice", "dropout-whole-positions", "table-overwritten")
CATALOGUE.by_check("too-long-silent", "dropout-not-rescaled", "embedding-missing", "table-low-precision")


# where in the source (see grader.diagnosis.places)
CATALOGUE.place("table-is-parameter", "init:Parameter", "pe=")
CATALOGUE.place("table-not-a-buffer", "pe=", "def __init__")
CATALOGUE.place("table-shape", "pe=")
CATALOGUE.place("wrong-base", "BASE=", "base=", "?**", "?pow", "?log", "?exp")
CATALOGUE.place("frequency-exponent-wrong", "**", "pow", "exp")
CATALOGUE.place("frequency-inverted", "**", "pow", "exp")
CATALOGUE.place("position-from-one", "?arange", "?range")
CATALOGUE.place("sin-cos-swapped", "?sin")
CATALOGUE.place("columns-left-zero", "?in-place")
CATALOGUE.place("sign-wrong", "?cos")
CATALOGUE.place("dropout-rate-wrong", "Dropout(")
CATALOGUE.place("dropout-twice", "dropout()")
CATALOGUE.place("dropout-whole-positions", "Dropout1d", "Dropout2d", "Dropout")
CATALOGUE.place("rows-left-zero", "?range")
CATALOGUE.place("learned-table-size", "embedding=")
CATALOGUE.place("first-row-untrained", "embedding=")
CATALOGUE.place("embedding-missing", "embedding=")
CATALOGUE.place("columns-scrambled", "?reshape", "?view")
CATALOGUE.place("table-overwritten", "forward:pe=")
CATALOGUE.place("position-over-features", "seq_len=", "S=", "length=")
CATALOGUE.place("sin-cos-halves", "cat", "?sin")
