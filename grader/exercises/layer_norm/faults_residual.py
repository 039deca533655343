"""Mistakes around the sublayer: the residual, the order of the normalisation, and dropout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import State
from grader.exercises.layer_norm.catalogue import CATALOGUE, in_add_norm
from grader.exercises.layer_norm.model import add_norm, drop, norm

__all__ = ["register", "register_rare"]

Sum = Callable[[State], Any]


def register() -> None:
    """Puts the faults of this module into the catalogue."""
    _order()
    _residual()
    _dropout()


def register_rare() -> None:
    """The faults of this module that come last in the search."""
    _misadded()
    _normalised_elsewhere()
    _scaled()
    in_add_norm("norm-first-default", order=lambda s: s.probe.init.get("norm_first", True))
    in_add_norm(
        "residual-after-norm",
        entering=lambda s: s.x,
        branch=lambda s: norm(s, s.sublayer(s.x)) if s.order else s.sublayer(s.x),
    )
    in_add_norm("input-modified", summed=_added_in_place)
    in_add_norm("input-modified", summed=_only("post", _added_in_place))
    in_add_norm("input-modified", summed=_only("pre", _added_in_place))
    in_add_norm("input-modified", summed=_added_into_branch, branch=_branch)
    for when in ("post", "pre"):
        in_add_norm("input-modified", summed=_only(when, _added_into_branch), branch=_branch)
    in_add_norm("output-detached", branch=lambda s: s.sublayer(s.entering).detach())
    in_add_norm("output-detached", leaving=lambda s: _leaving(s).detach())
    for when in ("pre", "post"):
        in_add_norm("output-detached", leaving=_only(when, lambda s: _leaving(s).detach(), _leaving))
    in_add_norm("norm-first-ignored", order=lambda s: bool(s.dropout))
    in_add_norm("dtype-changed", leaving=_in_float32)


def _plain(s: State) -> Any:
    return s.x + s.dropped


def _leaving(s: State) -> Any:
    return s.summed if s.order else norm(s, s.summed)


def _entering(s: State) -> Any:
    return norm(s, s.x) if s.order else s.x


def _only(when: str, mistaken: Sum, right: Sum = _plain) -> Sum:
    """The mistake in one of the two orders, the right computation in the other."""

    def step(s: State) -> Any:
        return mistaken(s) if s.order is (when == "pre") else right(s)

    return step


def _in_float32(s: State) -> Any:
    s.precision = torch.float32
    return _leaving(s)


def _added_in_place(s: State) -> Tensor:
    if s.probe.grad:
        raise RuntimeError("a leaf Variable that requires grad is used in an in-place operation")
    total: Tensor = s.x + s.dropped
    if not torch.equal(total, s.x):  # adding what dropout left of it may change nothing
        s.touch("x")
    return total


def _branch(s: State) -> Any:
    return s.sublayer(s.entering)  # made anew: what follows writes into it


def _added_into_branch(s: State) -> Any:
    """`h = sublayer(x); h += x`: h may be x itself, or a tensor that the sublayer needs as it was."""
    if s.train and s.dropout > 0:
        return _plain(s)  # what dropout made is nobody else's
    if s.branch is s.x:
        return _added_in_place(s)
    return s.branch.add_(s.x) if s.probe.grad else _plain(s)


# -- the residual -----------------------------------------------------------------------------------


def _residual() -> None:
    for when in ("pre", "post"):
        in_add_norm("residual-missing", absent=True, summed=_only(when, lambda s: s.dropped))
    in_add_norm("residual-missing", absent=True, summed=lambda s: s.dropped)
    in_add_norm("residual-of-normalised", summed=lambda s: s.entering + s.dropped)
    in_add_norm("residual-after-norm", leaving=_only("post", _after_norm, _leaving))
    in_add_norm("residual-after-norm", leaving=_only("post", lambda s: s.x + norm(s, s.summed), _leaving))


def _normalised_elsewhere() -> None:
    """The sum is made of things that are normalised by themselves."""
    alone: tuple[tuple[str, Sum, Sum | None], ...] = (
        ("post", lambda s: norm(s, s.x) + s.dropped, None),
        ("post", lambda s: norm(s, s.x) + norm(s, s.dropped), None),
        ("pre", lambda s: norm(s, s.x) + s.dropped, lambda s: s.x),
    )
    for when, total, entering in alone:
        sees = entering or (lambda s: norm(s, s.x) if s.order else s.x)
        in_add_norm(
            "sum-not-normalised", leaving=_only(when, total, _leaving), entering=_only(when, sees, _entering)
        )
    in_add_norm("norm-twice", summed=_only("post", lambda s: s.x + norm(s, s.dropped)))
    in_add_norm("norm-twice", summed=_only("pre", lambda s: s.x + norm(s, s.dropped)))


def _scaled() -> None:
    def summed(s: State, factor: float) -> Any:
        return None if s.probe.args is None else s.x + factor * s.dropped

    CATALOGUE.family(add_norm, "summed", name="factor", tries=(0.5, 2.0, 0.1), id="residual-scaled")(summed)


def _misadded() -> None:
    others: tuple[Sum, ...] = (
        lambda s: s.x - s.dropped,
        lambda s: s.x * s.dropped,
        lambda s: s.x + s.x + s.dropped,
        lambda s: s.dropped + s.dropped,
        lambda s: (s.x + s.dropped) / 2,
    )
    for combined in others:
        in_add_norm("residual-misadded", summed=combined)
        for when in ("pre", "post"):
            in_add_norm("residual-misadded", summed=_only(when, combined))


def _after_norm(s: State) -> Any:
    return s.x + norm(s, s.dropped)


# -- pre-LN and post-LN -----------------------------------------------------------------------------


def _order() -> None:
    in_add_norm("norm-order-swapped", order=lambda s: not s.norm_first)
    in_add_norm("norm-first-ignored", order=lambda s: False)
    in_add_norm("norm-first-ignored", order=lambda s: True)
    in_add_norm("norm-missing", absent=True, leaving=lambda s: s.summed)
    in_add_norm("norm-missing", absent=True, entering=lambda s: s.x)
    in_add_norm("norm-missing", absent=True, entering=lambda s: s.x, leaving=lambda s: s.summed)
    in_add_norm("norm-twice", leaving=lambda s: norm(s, s.summed))
    in_add_norm("norm-twice", entering=lambda s: norm(s, s.x))
    in_add_norm("norm-twice", entering=lambda s: norm(s, s.x), leaving=lambda s: norm(s, s.summed))
    in_add_norm("norm-twice", leaving=_only("post", lambda s: norm(s, norm(s, s.summed)), _leaving))


# -- dropout ----------------------------------------------------------------------------------------


def _undropped(s: State) -> Any:
    return s.branch


def _dropped(s: State) -> Any:
    return drop(s, s.branch)


def _always_dropped(s: State) -> Any:
    return s.branch * 0.0 if s.dropout > 0 else s.branch


def _kept_rate(s: State) -> Any:
    """`nn.Dropout(1 - rate)`: the rates 0 and 1 change places."""
    return s.branch * 0.0 if s.train and s.dropout == 0.0 else s.branch


def _dropout() -> None:
    in_add_norm("dropout-missing", absent=True, dropped=_undropped)
    # in pre-LN alone it is named by a check: see the probe "pre-dropout"
    in_add_norm("dropout-missing", absent=True, dropped=_only("post", _undropped, _dropped))
    in_add_norm("dropout-keep-probability", dropped=_kept_rate)
    in_add_norm("dropout-in-eval", dropped=_always_dropped)
    for when in ("pre", "post"):
        in_add_norm("dropout-in-eval", dropped=_only(when, _always_dropped, _dropped))
    in_add_norm("dropout-on-residual", dropped=_undropped, summed=lambda s: drop(s, s.x + s.dropped))
    in_add_norm("dropout-on-residual", dropped=_undropped, summed=lambda s: drop(s, s.x) + s.dropped)
    in_add_norm("dropout-misplaced", dropped=_undropped, branch=lambda s: s.sublayer(drop(s, s.entering)))
    in_add_norm(
        "dropout-misplaced",
        dropped=_only("post", _undropped, _dropped),
        leaving=_only("post", lambda s: drop(s, norm(s, s.summed)), _leaving),
    )
    in_add_norm("dropout-misplaced", dropped=_undropped, leaving=lambda s: drop(s, _leaving(s)))
