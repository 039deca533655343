"""The products, dropout, what is returned, and the shapes that are accepted."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import State
from grader.exercises.attention.edge_faults import CATALOGUE
from grader.exercises.attention.model import attention, keeps

__all__ = ["CATALOGUE"]

replaces = CATALOGUE.replaces


# -- the products -----------------------------------------------------------------------------------


def _product(transposed: Any) -> Any:
    def scores(s: State) -> Any:
        return s.query @ transposed(s.key)

    return scores


for _transposed in (
    lambda k: k,
    lambda k: k.permute(*reversed(range(k.dim()))),
    lambda k: k.transpose(0, 1),
    lambda k: k.transpose(1, 2),
):
    replaces(attention, "scores", id="key-not-transposed")(_product(_transposed))


@replaces(attention, "scores", id="key-not-transposed")
def key_reshaped(s: State) -> Any:
    *lead, S, d_k = s.key.shape
    return s.query @ s.key.reshape(*lead, d_k, S)


@replaces(attention, "scores")
def query_key_swapped(s: State) -> Any:
    return s.key @ s.query.transpose(-2, -1)


@replaces(attention, "output")
def value_is_key(s: State) -> Any:
    return s.dropped @ s.key


@replaces(attention, "output", id="value-is-key")
def value_is_query(s: State) -> Any:
    return s.dropped @ s.query


@replaces(attention, "output", id="value-is-key")
def value_ignored(s: State) -> Any:
    return s.value


@replaces(attention, "output", id="value-is-key")
def value_as_ones(s: State) -> Any:
    return s.dropped @ torch.ones_like(s.value)


@replaces(attention, "output")
def weights_transposed(s: State) -> Any:
    return s.dropped.transpose(-2, -1) @ s.value


# -- dropout ----------------------------------------------------------------------------------------


@replaces(attention, "weights", also={"dropped": lambda s: s.cleared})
def dropout_on_scores(s: State) -> Any:
    return torch.softmax(s.masked if s.dropout is None else s.dropout(s.masked), dim=-1)


@replaces(attention, "masked", id="dropout-on-scores", also={"dropped": lambda s: s.cleared})
def dropout_before_mask(s: State) -> Any:
    keep = keeps(s)
    found = s.scaled if s.dropout is None else s.dropout(s.scaled)
    return found if keep is None else found.masked_fill(~keep, -math.inf)


@replaces(attention, "output", id="dropout-on-scores", also={"dropped": lambda s: s.cleared})
def dropout_on_output(s: State) -> Any:
    mixed = s.cleared @ s.value
    return mixed if s.dropout is None else s.dropout(mixed)


@replaces(attention, "output", id="dropout-on-scores", also={"dropped": lambda s: s.cleared})
def dropout_on_values(s: State) -> Any:
    return s.cleared @ (s.value if s.dropout is None else s.dropout(s.value))


@replaces(attention, "dropped", absent=True)
def dropout_ignored(s: State) -> Any:
    return s.cleared


# -- what is returned -------------------------------------------------------------------------------


def _returning(second: Any) -> Any:
    def result(s: State) -> Any:
        return s.output, second(s)

    return result


replaces(attention, "result", id="weights-are-scores")(_returning(lambda s: s.scores))
replaces(attention, "result", id="weights-are-scores")(_returning(lambda s: s.scaled))
replaces(attention, "result", id="weights-are-scores")(_returning(lambda s: s.masked))
replaces(attention, "result", id="weights-returned-before-mask")(
    _returning(lambda s: torch.softmax(s.scaled, dim=-1))
)


@replaces(attention, "result", id="weights-returned-before-mask")
def weights_before_mask_dropped(s: State) -> Any:
    found = torch.softmax(s.scaled, dim=-1)
    return s.output, found if s.dropout is None else s.dropout(found)


replaces(attention, "result", id="weights-returned-before-dropout")(_returning(lambda s: s.cleared))


@replaces(attention, "result")
def returns_output_only(s: State) -> Any:
    return s.output


@replaces(attention, "result", id="returns-output-only")
def returns_dictionary(s: State) -> Any:
    return {"output": s.output, "weights": s.dropped}


@replaces(attention, "result", id="returns-output-only")
def returns_weights_first(s: State) -> Any:
    return s.dropped, s.output


@replaces(attention, "result")
def output_detached(s: State) -> Any:
    return s.output.detach(), s.dropped


@replaces(attention, "weights", id="output-detached")
def weights_detached(s: State) -> Any:
    return torch.softmax(s.masked, dim=-1).detach()


@replaces(attention, "dropped", id="output-detached")
def dropped_detached(s: State) -> Any:
    return s.cleared if s.dropout is None else s.dropout(s.cleared).detach()


@replaces(attention, "result")
def dtype_changed(s: State) -> Any:
    s.out_dtype = s.precision = torch.float32
    return s.output, s.dropped


@replaces(attention, "result", id="dtype-changed")
def computed_in_float32(s: State) -> Any:
    s.precision = torch.float32
    return s.output, s.dropped


@replaces(attention, "output", id="dtype-changed")
def weights_in_float32(s: State) -> Any:
    narrow: Tensor = s.dropped.to(torch.float32)
    return narrow @ s.value.to(s.dtype)


@replaces(attention, "scores", id="dtype-changed")
def mixed_dtypes(s: State) -> Any:
    return s.query.to(torch.float32) @ s.key.to(s.dtype).transpose(-2, -1)


# -- the shapes accepted ----------------------------------------------------------------------------


def _only(*dims: int) -> Any:
    def scores(s: State) -> Any:
        if s.query.dim() not in dims:
            raise IndexError("Dimension out of range: written for fewer or more dimensions")
        return s.query @ s.key.transpose(-2, -1)

    return scores


for _dims in ((3,), (4,), (3, 4), (2, 3), (3, 4, 5), (2, 3, 4)):
    replaces(attention, "scores", id="leading-dims-fixed")(_only(*_dims))
