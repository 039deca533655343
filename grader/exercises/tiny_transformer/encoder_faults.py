"""Mistakes in how the encoder is made and called, and in what is done by hand in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import ANYTHING, State, Step
from grader.exercises.encoder.faults import CATALOGUE as ENCODER
from grader.exercises.tiny_transformer.catalogue import CATALOGUE, replaces
from grader.exercises.tiny_transformer.model import run_encoder, tiny

__all__: list[str] = []


# -- the constructor --------------------------------------------------------------------------------


def _given(change: Callable[[State], dict[str, Any]]) -> Step:
    return lambda s: {**tiny.steps["passed"](s), **change(s)}


def _passed(id: str, change: Callable[[State], dict[str, Any]], *, fits: bool = True) -> None:
    """Settings that the encoder gets instead; unless it `fits`, its weights cannot be set."""
    also: dict[str, Step] = {} if fits else {"result": _unset}
    replaces(tiny, "passed", id=id, also=also)(_given(change))


def _unset(s: State) -> Any:
    return ANYTHING


def _without_chance(s: State) -> Any:
    """In training numbers are dropped by chance."""
    return ANYTHING if s.train else tiny.steps["result"](s)


_passed("norm-first-ignored", lambda s: {"norm_first": False})
_passed("norm-first-ignored", lambda s: {"norm_first": True})
_passed("norm-order-swapped", lambda s: {"norm_first": not s.norm_first})
_passed("max-len-ignored", lambda s: {"max_len": 5000})
_passed("max-len-ignored", lambda s: {"max_len": 512})
_passed("max-len-ignored", lambda s: {"max_len": s.vocab_size})
replaces(tiny, "passed", id="dropout-not-passed", also={"result": lambda s: _without_chance(s)})(
    _given(lambda s: {"dropout": 0.1})
)
_passed("num-heads-ignored", lambda s: {"num_heads": 1})
_passed("d-ff-ignored", lambda s: {"d_ff": 4 * s.d_model}, fits=False)
_passed("d-ff-ignored", lambda s: {"d_ff": s.d_model}, fits=False)
_passed("d-ff-ignored", lambda s: {"d_ff": 2048}, fits=False)


def _exchanged_rate(s: State) -> Any:
    raise ValueError(f"dropout probability has to be between 0 and 1, but got {s.max_len}")


replaces(tiny, "passed", id="encoder-arguments-exchanged")(_exchanged_rate)


def _exchanged_heads(s: State) -> Any:
    if s.num_layers and s.d_model % s.d_ff:
        raise ValueError(f"d_model {s.d_model} is not divisible by num_heads {s.d_ff}")
    return {**tiny.steps["passed"](s), "num_heads": s.d_ff, "d_ff": s.num_heads}


replaces(tiny, "passed", id="encoder-arguments-exchanged", also={"result": _unset})(_exchanged_heads)


def _exchanged_layers(s: State) -> Any:
    return {**tiny.steps["passed"](s), "num_layers": s.d_ff, "d_ff": s.num_layers}


replaces(tiny, "passed", id="encoder-arguments-exchanged", also={"result": _unset})(_exchanged_layers)


def _too_many(s: State) -> Any:
    raise TypeError("__init__() takes from 6 to 10 positional arguments but 11 were given")


replaces(tiny, "passed", id="encoder-arguments-exchanged")(_too_many)


def _as_far_as_known(s: State) -> Any:
    """The weights of layers beyond num_layers cannot be set."""
    return ANYTHING if s.passed["num_layers"] > s.num_layers else tiny.steps["result"](s)


def _known_layers(s: State) -> Any:
    if s.passed["num_layers"] > s.num_layers:
        return torch.zeros(*s.token_ids.shape, s.d_model, dtype=torch.float64)
    return tiny.steps["encoded"](s)


@CATALOGUE.family(
    tiny,
    "passed",
    name="layers",
    tries=(6.0, 1.0, 2.0, 4.0, 12.0),
    id="num-layers-fixed",
    also={"encoded": _known_layers, "result": _as_far_as_known},
)
def always_as_many(s: State, layers: float) -> Any:
    return {**tiny.steps["passed"](s), "num_layers": max(0, round(layers))}


# -- what goes in -----------------------------------------------------------------------------------


def _fed(id: str, change: Callable[[Tensor, State], Tensor]) -> None:
    replaces(tiny, "ids", id=id)(lambda s: change(s.token_ids, s))


def _started(ids: Tensor, s: State) -> Tensor:
    return torch.cat([torch.full_like(ids[:, :1], s.pad_id), ids[:, :-1]], dim=1)


_fed("inputs-shifted", _started)
_fed("inputs-shifted", lambda ids, s: ids.roll(1, 1))
_fed("inputs-shifted", lambda ids, s: ids.roll(-1, 1))
_fed("inputs-shifted", lambda ids, s: torch.cat([ids[:, 1:], torch.full_like(ids[:, :1], s.pad_id)], 1))


def _padding_set_to_zero(s: State) -> Any:
    ids = s.token_ids.masked_fill(s.token_ids == s.pad_id, 0)
    if not torch.equal(ids, s.token_ids):
        s.touch("token_ids")
    return ids


replaces(tiny, "ids", id="input-modified")(_padding_set_to_zero)


# -- the encoder's own mistakes, where its work is done by hand -------------------------------------

BY_HAND = (
    "final-norm-missing",
    "final-norm-twice",
    "embedding-not-scaled",
    "position-not-added",
    "layers-skipped",
    "mask-in-first-layer-only",
)


def _inside(steps: dict[str, Step]) -> Step:
    return lambda s: run_encoder(s, s.ids, s.handed, steps)


for _fault in ENCODER.faults:
    _made = {"norm_in_pre", "norm_in_post", "names", "blocks_made", "table", "result"}
    if _fault.id in BY_HAND and not _made & _fault.steps.keys():
        replaces(tiny, "encoded", id=_fault.id, absent=_fault.absent)(_inside(dict(_fault.steps)))


@replaces(tiny, "encoded")
def encoder_detached(s: State) -> Any:
    return tiny.steps["encoded"](s).detach()
