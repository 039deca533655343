"""The scale of the scores.  The catalogue starts here: the order of registration is that of preference."""

from __future__ import annotations

import math
from typing import Any

import torch

from grader.diagnosis.faults import Catalogue
from grader.diagnosis.model import State
from grader.exercises.attention.model import attention

__all__ = ["CATALOGUE"]

CATALOGUE = Catalogue()
replaces = CATALOGUE.replaces


@replaces(attention, "scaled", absent=True)
def missing_scale(s: State) -> Any:
    return s.scores


@replaces(attention, "scaled")
def scale_without_sqrt(s: State) -> Any:
    return s.scores / s.query.shape[-1]


@replaces(attention, "scaled")
def scale_multiplied(s: State) -> Any:
    return s.scores * math.sqrt(s.query.shape[-1])


@replaces(attention, "scaled", id="scale-by-d-model")
def scale_by_length(s: State) -> Any:
    return s.scores / math.sqrt(s.key.shape[-2])


@replaces(attention, "scaled", id="scale-by-d-model")
def scale_by_queries(s: State) -> Any:
    return s.scores / math.sqrt(s.query.shape[-2])


@replaces(attention, "scaled", id="scale-by-d-model")
def scale_by_value_width(s: State) -> Any:
    return s.scores / math.sqrt(s.value.shape[-1])


@replaces(attention, "scaled", id="scale-by-d-model")
def scale_by_second_axis(s: State) -> Any:
    heads = s.query.shape[1] if s.query.dim() == 4 else 1
    return s.scores / math.sqrt(s.query.shape[-1] * heads)


@replaces(attention, "scaled", id="scale-by-d-model")
def scale_by_any_third_axis(s: State) -> Any:
    heads = s.query.shape[-3] if s.query.dim() > 2 else 1
    return s.scores / math.sqrt(s.query.shape[-1] * heads)


@replaces(attention, "scaled", id="scale-by-d-model")
def scale_by_total_width(s: State) -> Any:
    heads = s.query.shape[-3] if s.query.dim() > 3 else 1
    return s.scores / math.sqrt(s.query.shape[-1] * heads)


@replaces(attention, "weights", also={"scaled": lambda s: s.scores})
def scale_after_softmax(s: State) -> Any:
    return torch.softmax(s.masked, dim=-1) / math.sqrt(s.query.shape[-1])
