"""Rarer mistakes after the scores: the softmax, dropout, the sum, and what is returned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.faults import Catalogue
from grader.diagnosis.model import State, Step
from grader.exercises.attention.mask_faults import filled, uncleared
from grader.exercises.attention.model import attention, keeps
from grader.exercises.attention.softmax_faults import MASK_STYLES, blocked_cleared, minus_infinity

__all__ = ["register", "register_alone"]


def register(catalogue: Catalogue) -> None:
    """Adds the faults that exercise 4 takes over."""
    _sums(catalogue)
    _dropout(catalogue)


def register_alone(catalogue: Catalogue) -> None:
    """Adds those of this exercise alone: what is returned is something else in exercise 4."""
    _other_sums(catalogue)
    _other_functions(catalogue)
    _left_out(catalogue)
    _other_dropout(catalogue)
    _output(catalogue)
    _returned(catalogue)


# -- the softmax ------------------------------------------------------------------------------------


def _with_maximum(s: State) -> Any:
    return torch.exp(s.masked - s.masked.amax(dim=-1, keepdim=True))


def _with_detached_maximum(s: State) -> Any:
    return torch.exp(s.masked - s.masked.amax(dim=-1, keepdim=True).detach())


def _without_maximum(s: State) -> Any:
    return torch.exp(s.masked)


def _with_maximum_of_all(s: State) -> Any:
    return torch.exp(s.masked - s.scaled.max())


def _sums(catalogue: Catalogue) -> None:
    for raised in (_with_maximum, _without_maximum):
        catalogue.replaces(attention, "weights", id="softmax-not-normalised")(raised)

    def by_sum_of_all(s: State) -> Any:
        found = _with_maximum(s)
        return found / found.sum()

    def by_sum_of_all_shifted(s: State) -> Any:
        found = torch.exp(s.masked - s.masked.max())
        return found / found.sum()

    def maximum_over_queries(s: State) -> Any:
        top = filled(s, -1e300).amax(dim=-2, keepdim=True)
        found = torch.exp(s.masked - top)
        return found / found.sum(dim=-1, keepdim=True)

    for wrong in (by_sum_of_all, by_sum_of_all_shifted, maximum_over_queries):
        catalogue.replaces(attention, "weights", id="softmax-wrong-axis")(wrong)


def _other_sums(catalogue: Catalogue) -> None:
    def of_one_entry(s: State) -> Any:
        return torch.softmax(s.masked.unsqueeze(-1), dim=-1).squeeze(-1)  # of -inf alone it is NaN

    def over_heads_and_keys(s: State) -> Any:
        if s.masked.dim() != 4:
            return torch.softmax(s.masked, dim=-1)
        turned = s.masked.transpose(1, 2)  # (B, L, H, S)
        return torch.softmax(turned.flatten(-2), dim=-1).view(turned.shape).transpose(1, 2)

    for style in MASK_STYLES:
        catalogue.replaces(attention, "weights", id="softmax-wrong-axis", also=style)(of_one_entry)
    catalogue.replaces(attention, "weights", id="softmax-wrong-axis")(over_heads_and_keys)

    constants = (1.0, 1e-9, 1e-8, 1e-6)
    for raised in (_with_maximum, _with_detached_maximum, _without_maximum, _with_maximum_of_all):

        def plus(s: State, constant: float, raised: Callable[[State], Any] = raised) -> Any:
            found = raised(s)
            return found / (found.sum(dim=-1, keepdim=True) + constant)

        catalogue.family(
            attention, "weights", name="constant", tries=constants, id="softmax-sum-plus-constant"
        )(plus)


def _other_functions(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces
    plain: dict[str, Any] = {"masked": minus_infinity, "cleared": uncleared}
    zeroed: dict[str, Any] = {"masked": minus_infinity, "cleared": blocked_cleared}
    for style in (plain, zeroed):

        @replaces(attention, "weights", id="softmax-twice", also=style)
        def twice(s: State) -> Any:
            return torch.softmax(torch.softmax(s.masked, dim=-1), dim=-1)

        @replaces(attention, "weights", id="log-softmax", also=style)
        def logarithms(s: State) -> Any:
            return torch.log_softmax(s.masked, dim=-1)

    @replaces(attention, "weights", id="softmax-twice")
    def twice_masked_twice(s: State) -> Any:
        once = torch.softmax(s.masked, dim=-1)
        keep = keeps(s)
        return torch.softmax(once if keep is None else once.masked_fill(~keep, -1e300), dim=-1)

    for count in (1, 2, 3):

        def top(s: State, count: int = count) -> Any:
            least = s.masked.topk(min(count, s.masked.shape[-1]), dim=-1).values[..., -1:]
            return torch.softmax(s.masked.masked_fill(s.masked < least, -1e300), dim=-1)

        replaces(attention, "weights", id="scores-top-k")(top)

    @catalogue.family(attention, "cleared", name="step", tries=(0.001, 0.01, 0.1, 1e-4))
    def weights_rounded(s: State, step: float) -> Any:
        return torch.round(attention.steps["cleared"](s) / step) * step


# -- positions that are left out --------------------------------------------------------------------


def _left_out(catalogue: Catalogue) -> None:
    def without(query: int | None, key: int | None) -> Step:
        def cleared(s: State) -> Any:
            found = attention.steps["cleared"](s).clone()
            if query is not None:
                found[..., query, :] = 0.0
            if key is not None:
                found[..., key] = 0.0
            return found

        return cleared

    for query, key in ((-1, None), (0, None), (None, -1), (None, 0)):
        catalogue.replaces(attention, "cleared", id="position-left-out")(without(query, key))

    @catalogue.replaces(attention, "weights", id="position-left-out")
    def softmax_without_last_key(s: State) -> Any:
        found = torch.softmax(s.masked[..., :-1], dim=-1)
        return torch.cat([found, torch.zeros_like(s.masked[..., :1])], dim=-1)


# -- dropout ----------------------------------------------------------------------------------------


def _dropout(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces

    @replaces(attention, "output", id="dropout-only-returned")
    def of_undropped(s: State) -> Any:
        return s.cleared @ s.value

    def refused(error: Exception) -> Step:
        def dropped(s: State) -> Any:
            if s.dropout is not None:
                raise error
            return s.cleared

        return dropped

    for error in (
        TypeError("'<' not supported between instances of 'Dropout' and 'float'"),
        AttributeError("'Dropout' object has no attribute 'rate'"),
    ):
        replaces(attention, "dropped", id="dropout-called-wrongly")(refused(error))


def _other_dropout(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces

    @replaces(attention, "dropped", id="dropout-ignored")
    def dropped_for_gradients_only(s: State) -> Any:
        return s.cleared if s.dropout is None or not s.probe.grad else s.dropout(s.cleared)

    @replaces(attention, "dropped")
    def dropout_renormalised(s: State) -> Any:
        if s.dropout is None:
            return s.cleared
        left = s.dropout(s.cleared)
        return left / left.sum(dim=-1, keepdim=True)

    @replaces(attention, "dropped")
    def dropout_twice(s: State) -> Any:
        return s.cleared if s.dropout is None else s.dropout(s.dropout(s.cleared))

    @replaces(attention, "output", id="dropout-twice")
    def dropout_on_output_too(s: State) -> Any:
        mixed = s.dropped @ s.value
        return mixed if s.dropout is None else s.dropout(mixed)


# -- the sum over the values ------------------------------------------------------------------------


def _output(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces

    @replaces(attention, "output")
    def output_averaged(s: State) -> Any:
        return s.dropped @ s.value / s.value.shape[-2]

    for made_of in ("scaled", "masked"):

        @replaces(attention, "output", id="output-of-scores", also={"masked": minus_infinity})
        def of_scores(s: State, made_of: str = made_of) -> Any:
            return getattr(s, made_of) @ s.value

    @replaces(attention, "output")
    def summed_over_queries(s: State) -> Any:
        return s.dropped.sum(dim=-2).unsqueeze(-1) * s.value  # (..., S, d_v)

    def residual(always: bool) -> Step:
        def output(s: State) -> Any:
            mixed = s.dropped @ s.value
            return mixed + s.query if always or mixed.shape == s.query.shape else mixed

        return output

    for always in (False, True):
        replaces(attention, "output", id="residual-added")(residual(always))


# -- what is returned -------------------------------------------------------------------------------


def _returned(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces

    @replaces(attention, "weights", id="leading-dims-fixed")
    def fourth_axis(s: State) -> Any:
        return torch.softmax(s.masked, dim=3)

    def squeezed(output: bool, weights: bool) -> Step:
        def result(s: State) -> Any:
            return (
                s.output.squeeze() if output else s.output,
                s.dropped.squeeze() if weights else s.dropped,
            )

        return result

    for output, weights in ((True, True), (True, False), (False, True)):
        replaces(attention, "result", id="axes-squeezed")(squeezed(output, weights))

    @replaces(attention, "result", id="returns-output-only")
    def weights_only(s: State) -> Any:
        return s.dropped

    def with_weights(id: str, second: Callable[[Tensor], Tensor]) -> None:
        replaces(attention, "result", id=id)(lambda s: (s.output, second(s.dropped)))

    with_weights("weights-averaged", lambda w: w.mean(dim=1) if w.dim() == 4 else w)
    with_weights("weights-averaged", lambda w: w.mean(dim=1))
    with_weights("weights-averaged", lambda w: w.mean(dim=0))
    with_weights("weights-returned-transposed", lambda w: w.transpose(-2, -1))
