"""The mistakes people make in `sequence_loss`; each shows in what a training step learns, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import State, Step
from grader.exercises.training.lesson import OF_LOSS, train
from grader.exercises.training.model import IGNORE, ignored, loss
from grader.exercises.training.target_faults import CATALOGUE
from grader.submission.asking import Each

__all__ = ["CATALOGUE"]


def loses(
    *steps: str, id: str | None = None, learned: bool = True, also: Mapping[str, Step] | None = None
) -> Callable[[Step], Step]:
    """Registers a mistake in the loss, and where it shows there, for the training step that uses it."""

    def register(function: Step) -> Step:
        name = id or function.__name__.strip("_").replace("_", "-")
        CATALOGUE.replaces(loss, *steps, id=name, also=also)(function)
        if not learned:
            return function
        decided = {OF_LOSS[step]: _decides(other) for step, other in (also or {}).items()}
        places = [OF_LOSS[step] for step in steps]
        CATALOGUE.replaces(train, *places, id=name, also=decided)(_decides(function))
        return function

    return register


def _decides(step: Step) -> Step:
    return lambda s: step


def _all_count(s: State) -> Tensor:
    return torch.ones_like(s.targets, dtype=torch.bool)


# -- the scores -------------------------------------------------------------------------------------


@loses("scores")
def softmax_before_cross_entropy(s: State) -> Any:
    return s.logits.softmax(dim=-1)


@loses("scores", id="softmax-before-cross-entropy")
def softmax_over_positions_before(s: State) -> Any:
    return s.logits.softmax(dim=1)


@loses("scores")
def logits_negated(s: State) -> Any:
    return -s.logits


@loses("scores")
def logits_reshaped_not_transposed(s: State) -> Any:
    """(B, S, V) read as (B, V, S): the classes of a position are those of several."""
    B, S, V = s.logits.shape
    return s.logits.reshape(B, V, S).transpose(1, 2)


@loses("picked")
def loss_class_axis(s: State) -> Any:
    """The classes are expected on axis 1, where the positions are."""
    return _over_positions(s)


def _over_positions(s: State) -> Tensor:
    B, S, V = s.logits.shape
    if S != V:
        raise RuntimeError(f"Expected target size [{B}, {V}], got [{B}, {S}]")
    over = torch.log_softmax(s.scores, dim=1)  # (B, S, V): S are taken for the classes
    classes = s.targets.masked_fill(~s.counted, 0)  # (B, V) of classes 0 .. S-1
    return -over.gather(1, classes[:, None, :]).squeeze(1)


@loses("picked", id="loss-class-axis")
def loss_class_axis_but_when_empty(s: State) -> Any:
    """The same, where a batch in which nothing counts has a branch of its own."""
    return _over_positions(s) if bool(s.counted.any()) else loss.steps["picked"](s)


def _normalised_over(axis: int) -> Step:
    return lambda s: torch.log_softmax(s.scores, dim=axis)


for _axis in (1, 0):
    loses("log_probs", id="loss-normalised-over-wrong-axis")(_normalised_over(_axis))


@loses("log_probs")
def loss_not_normalised(s: State) -> Any:
    """The logit of the target itself, negated."""
    return s.scores


@loses("log_probs")
def loss_of_probability(s: State) -> Any:
    """The probability of the target, without its logarithm."""
    return s.scores.softmax(dim=-1)


@loses("picked")
def loss_not_negated(s: State) -> Any:
    classes = s.targets.masked_fill(~s.counted, 0)
    return s.log_probs.gather(-1, classes.unsqueeze(-1)).squeeze(-1)


# -- which targets count ----------------------------------------------------------------------------


def _counts_all(s: State) -> Any:
    found: Tensor = s.targets
    if bool(((found < 0) | (found >= s.logits.shape[-1])).any()):
        raise IndexError("Target is out of bounds.")
    return _all_count(s)


loses("counted", id="ignored-targets-count")(_counts_all)


@loses("counted", learned=False)
def loss_ignores_ignore_index(s: State) -> Any:
    """What F.cross_entropy leaves out by default, whatever was asked for."""
    return s.targets != IGNORE


@loses("counted", id="loss-ignores-ignore-index", learned=False)
def loss_ignores_negative_targets(s: State) -> Any:
    return s.targets >= 0


def _each_cost(s: State, classes: Tensor) -> Tensor:
    """What each target costs, whether it counts or not."""
    if bool(((classes < 0) | (classes >= s.log_probs.shape[-1])).any()):
        raise IndexError("Target is out of bounds.")
    found: Tensor = -s.log_probs.gather(-1, classes.unsqueeze(-1)).squeeze(-1)
    return found


@loses("picked", id="loss-ignores-ignore-index", learned=False)
def loss_costs_before_ignoring(s: State) -> Any:
    """The mark is known to the mean, but not to the function that looks up the costs."""
    return _each_cost(s, s.targets.masked_fill(s.targets == IGNORE, 0))


@loses("picked", id="loss-ignores-ignore-index", learned=False)
def loss_looks_up_large_marks(s: State) -> Any:
    """Only a negative mark is replaced before it is used as an index."""
    return _each_cost(s, s.targets.clamp(min=0))


@loses("total", id="loss-ignores-ignore-index", learned=False)
def loss_sums_what_is_ignored(s: State) -> Any:
    """The mark is known to the divisor alone."""
    usual = s.targets == IGNORE
    return _each_cost(s, s.targets.masked_fill(usual, 0)).masked_fill(usual, 0.0).sum()


@loses("counted")
def loss_leaves_out_class_zero(s: State) -> Any:
    return (s.targets != ignored(s)) & (s.targets != 0)


@loses("counted", id="loss-leaves-out-class-zero")
def loss_counts_positive_targets(s: State) -> Any:
    return s.targets > 0


@loses("counted", id="loss-leaves-out-class-zero")
def loss_counts_targets_but_zero(s: State) -> Any:
    if bool((s.targets < 0).any()):
        raise IndexError("Target is out of bounds.")
    return s.targets != 0


def _wrapping(s: State) -> Any:
    """Negative targets are positions from the end, as in any index."""
    V = s.log_probs.shape[-1]
    classes = torch.where(s.targets < 0, s.targets + V, s.targets)
    if bool(((classes < 0) | (classes >= V)).any()):
        raise IndexError("index out of bounds")
    return -s.log_probs.gather(-1, classes.unsqueeze(-1)).squeeze(-1)


loses("picked", id="ignored-targets-count", also={"counted": _all_count})(_wrapping)


def _clamped(s: State) -> Any:
    return -s.log_probs.gather(-1, s.targets.clamp(min=0).unsqueeze(-1)).squeeze(-1)


def _clamped_one_hot(s: State) -> Any:
    if bool((s.targets >= s.log_probs.shape[-1]).any()):
        raise RuntimeError("Class values must be smaller than num_classes.")
    return _clamped(s)


for _form in (_clamped, _clamped_one_hot):
    loses("picked", id="ignored-targets-count", also={"counted": _all_count})(_form)
loses("picked", id="loss-ignores-ignore-index", learned=False)(_clamped_one_hot)


@loses("counted")
def loss_counts_the_ignored(s: State) -> Any:
    return s.targets == ignored(s)


# -- the mean ---------------------------------------------------------------------------------------


@loses("divisor")
def loss_divides_by_all(s: State) -> Any:
    return torch.tensor(s.targets.numel())


@loses("divisor")
def loss_summed(s: State) -> Any:
    return torch.tensor(1)


def _divided(by: Callable[[Any], int]) -> None:
    loses("divisor", id="loss-divisor-wrong")(lambda s: torch.tensor(by(s)))


_divided(lambda s: s.targets.shape[0])
_divided(lambda s: s.targets.shape[1])
_divided(lambda s: s.logits.shape[-1])
_divided(lambda s: s.logits.numel())
_divided(lambda s: int(s.counted.sum()) + 1)


def _row_means(s: State) -> tuple[Tensor, Tensor]:
    costs, counts = s.picked.masked_fill(~s.counted, 0.0).sum(dim=1), s.counted.sum(dim=1)
    return costs / counts.clamp(min=1), counts


@loses("total", "divisor")
def loss_mean_of_row_means(s: State) -> Any:
    """Each sequence weighs the same, however short."""
    means, counts = _row_means(s)
    return means.sum() if _at(s) == "total" else torch.tensor(len(counts))


def _at(s: State) -> str:
    return "divisor" if hasattr(s, "total") else "total"


@loses("total", "divisor", id="loss-mean-of-row-means")
def loss_mean_of_row_means_that_count(s: State) -> Any:
    means, counts = _row_means(s)
    return means.sum() if _at(s) == "total" else (counts > 0).sum().clamp(min=1)


@loses("total", "divisor", id="loss-mean-of-row-means")
def loss_mean_of_row_means_or_nan(s: State) -> Any:
    costs, counts = s.picked.masked_fill(~s.counted, 0.0).sum(dim=1), s.counted.sum(dim=1)
    return (costs / counts).sum() if _at(s) == "total" else torch.tensor(len(counts))


def _columns(s: State) -> tuple[Tensor, Tensor]:
    return s.picked.masked_fill(~s.counted, 0.0).sum(dim=0), s.counted.sum(dim=0)


@loses("total", "divisor", id="loss-mean-of-row-means")
def loss_mean_of_position_means(s: State) -> Any:
    costs, counts = _columns(s)
    return (costs / counts.clamp(min=1)).sum() if _at(s) == "total" else torch.tensor(len(counts))


@loses("divisor")
def loss_nan_when_empty(s: State) -> Any:
    return s.counted.sum()


@loses("total", "divisor", id="loss-nan-when-empty")
def loss_nan_when_empty_by_product(s: State) -> Any:
    return (s.picked * s.counted).sum() if _at(s) == "total" else s.counted.sum()


# -- which positions --------------------------------------------------------------------------------


@loses("scores", "counted", "picked")
def loss_shifts_again(s: State) -> Any:
    """Position t is compared with the target of t + 1, which is token t + 2."""
    if not hasattr(s, "scores"):
        return s.logits[:, :-1]
    if not hasattr(s, "counted"):
        return s.targets[:, 1:] != ignored(s)
    return _gathered(s, s.targets[:, 1:])


@loses("scores", "counted", "picked")
def loss_drops_last_position(s: State) -> Any:
    if not hasattr(s, "scores"):
        return s.logits[:, :-1]
    if not hasattr(s, "counted"):
        return s.targets[:, :-1] != ignored(s)
    return _gathered(s, s.targets[:, :-1])


@loses("scores", "counted", "picked")
def loss_of_last_position(s: State) -> Any:
    """As in a classifier: one prediction for each sequence."""
    if not hasattr(s, "scores"):
        return s.logits[:, -1:]
    if not hasattr(s, "counted"):
        return s.targets[:, -1:] != ignored(s)
    return _gathered(s, s.targets[:, -1:])


@loses("scores", "counted", "picked")
def loss_of_first_row(s: State) -> Any:
    if not hasattr(s, "scores"):
        return s.logits[:1]
    if not hasattr(s, "counted"):
        return s.targets[:1] != ignored(s)
    return _gathered(s, s.targets[:1])


def _gathered(s: State, targets: Tensor) -> Tensor:
    classes = targets.masked_fill(~s.counted, 0)
    found: Tensor = -s.log_probs.gather(-1, classes.unsqueeze(-1)).squeeze(-1)
    return found


# -- the result -------------------------------------------------------------------------------------


def _returns(id: str, result: Step, *, learned: bool = True) -> None:
    loses("result", id=id, learned=learned)(result)


def _detached(s: State) -> Any:
    return (s.total / s.divisor).detach()


def _number(s: State) -> Any:
    return float((s.total / s.divisor).detach())


def _by_position(s: State) -> Any:
    return s.picked.masked_fill(~s.counted, 0.0)


def _flat(s: State) -> Any:
    return s.picked.masked_fill(~s.counted, 0.0).flatten()


def _one_entry(s: State) -> Any:
    return (s.total / s.divisor).reshape(1)


_returns("output-detached", _detached)
_returns("loss-is-a-number", _number, learned=False)  # any misspelt method fails alike there
_returns("loss-not-reduced", _by_position)
_returns("loss-not-reduced", _flat)
_returns("loss-not-reduced", _one_entry)
_returns("not-implemented", lambda s: None, learned=False)


def _empty_is(value: Callable[[State], Any]) -> None:
    """When nothing counts, something comes back that no gradient passes through."""

    def result(s: State) -> Any:
        return value(s) if not bool(s.counted.any()) else s.total / s.divisor

    _returns("loss-detached-when-empty", result)


def _zero(dtype: torch.dtype) -> Callable[[State], Any]:
    def value(s: State) -> Any:
        s.out_dtype = None
        return torch.zeros((), dtype=dtype)

    return value


_empty_is(_zero(torch.float32))
_empty_is(_zero(torch.float64))
_empty_is(_zero(torch.int64))
_empty_is(lambda s: 0.0)
_empty_is(lambda s: 0)


def _float32_when_empty(s: State) -> Any:
    """The special case makes a zero of its own."""
    if not bool(s.counted.any()):
        s.out_dtype = torch.float32
    return s.total / s.divisor


_returns("dtype-changed", _float32_when_empty, learned=False)


def _cast(dtype: torch.dtype) -> Step:
    def result(s: State) -> Any:
        s.out_dtype = dtype
        return s.total / s.divisor

    return result


for _dtype in (torch.float32, torch.float64):
    _returns("dtype-changed", _cast(_dtype), learned=False)


def _in_float32(s: State) -> Any:
    s.precision = torch.float32
    return s.total / s.divisor


_returns("dtype-changed", _in_float32, learned=False)


# -- inputs that do not lie in one piece ------------------------------------------------------------


def _views_logits(s: State) -> Any:
    s.raw["logits"].view(-1, s.logits.shape[-1])
    return s.logits


def _views_targets(s: State) -> Any:
    s.raw["targets"].view(-1)
    return s.logits


def _views_both(s: State) -> Any:
    _views_logits(s)
    return _views_targets(s)


for _view in (_views_logits, _views_targets, _views_both):
    loses("scores", id="view-not-contiguous", learned=False)(_view)

# -- the caller's targets ---------------------------------------------------------------------------


@loses("counted", id="input-modified", learned=False)
def marks_are_overwritten(s: State) -> Any:
    """The ignored targets are set to a class, so that they can be looked up."""
    found = s.targets != ignored(s)
    if not bool(found.all()):
        s.touch("targets")
    return found


@CATALOGUE.replaces(train, "fed", id="input-modified")
def marks_are_overwritten_in_training(s: State) -> Any:
    rounds = s.targets.items if isinstance(s.targets, Each) else (s.targets,)
    if any(bool((targets == IGNORE).any()) for targets in rounds):
        s.touch("targets")
    return "as given"


# -- edges ------------------------------------------------------------------------------------------


def _log_of_softmax(dtype: torch.dtype | None, floor: float) -> Step:
    """The logarithm of a probability that has become 0 on the way."""

    def log_probs(s: State) -> Any:
        narrow = s.scores.to(dtype or s.dtype)
        return (narrow.softmax(dim=-1) + floor).log().to(torch.float64)

    return log_probs


def _product(s: State) -> Any:
    """inf times 0 is NaN"""
    return (s.picked * s.counted).sum()


def _edge(id: str, step: Step) -> None:
    also: tuple[dict[str, Step], ...] = ({}, {"total": _product})
    for more in also:
        CATALOGUE.replaces(loss, "log_probs", id=id, tier="edge", also=more)(step)


def _exponents(s: State) -> Any:
    narrow = s.scores.to(s.dtype)
    return (narrow.exp() / narrow.exp().sum(dim=-1, keepdim=True)).log().to(torch.float64)


def _exponents_late(s: State) -> Any:
    narrow = s.scores.to(s.dtype)
    return (narrow - narrow.exp().sum(dim=-1, keepdim=True).log()).to(torch.float64)


_edge("log-of-softmax", _log_of_softmax(None, 0.0))
for _floor in (1e-9, 1e-8, 1e-10, 1e-12, 1e-7):
    _edge("log-of-softmax", _log_of_softmax(None, _floor))
_edge("softmax-unstable", _exponents)
_edge("softmax-unstable", _exponents_late)


# -- places -----------------------------------------------------------------------------------------

CALLS = ("cross_entropy", "CrossEntropyLoss", "nll_loss", "NLLLoss")
for _id, *_words in (
    ("view-not-contiguous", "own:view"),
    ("loss-is-a-number", "own:item", "own:float", "own:tolist", "return"),
    ("softmax-before-cross-entropy", "own:softmax", "own:Softmax", "softmax", "Softmax"),
    ("loss-class-axis", *(f"own:{name}" for name in CALLS)),
    ("loss-ignores-ignore-index", *(f"own:{name}(!ignore_index" for name in CALLS), "own:targets"),
    ("loss-not-negated", "own:gather", "own:take_along_dim", *(f"own:{name}" for name in CALLS), "return"),
    ("loss-shifts-again", "own:targets"),
    ("loss-not-reduced", "return"),
    ("log-of-softmax", "own:log", "own:softmax"),
    ("softmax-unstable", "own:exp"),
    ("input-modified", "own:in-place", "own:masked_fill_", "own:clamp_", "own:copy_", "own:targets"),
    ("loss-nan-when-empty", *(f"?own:{name}" for name in CALLS)),
    ("loss-detached-when-empty", "own:tensor", "own:zeros", "own:new_zeros", "?return"),
):
    CATALOGUE.place(_id, *_words)
