"""What dropout left: whether each number was kept or dropped by a throw of its own, anew in each call."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.marking.lab import Lab, Made
from grader.submission.observation import Observation
from grader.text import Text

__all__ = [
    "DROPS",
    "called_in_training",
    "drawn_anew",
    "dropped_in_eval",
    "dropped_together",
    "kept_of",
]

# where dropout is written, for `Catalogue.place`
DROPS = (
    "Dropout1d", "Dropout2d", "dropout1d", "rand", "rand_like", "bernoulli", "dropout()", "Dropout(",
)  # fmt: skip

ALL_ALIKE = (
    Text("the same numbers are dropped in every sequence", "每个序列丢弃的都是同样的位置"),
    Text("the same features are dropped for every token", "每个词元丢弃的都是同样的特征"),
    Text("whole tokens are dropped, not single numbers", "丢弃的是整个词元，而不是单个的数"),
)
SOME_ALIKE = (
    Text("the same numbers are dropped in several sequences", "若干个序列丢弃的是同样的位置"),
    Text("the same features are dropped for several tokens", "若干个词元丢弃的是同样的特征"),
    Text("several features are always dropped together", "若干个特征总是一起被丢弃"),
)


def dropped_together(
    kept: Tensor, all_alike: Sequence[Text] = ALL_ALIKE, some_alike: Sequence[Text] = SOME_ALIKE
) -> Text | None:
    """In which way numbers share a throw, or None.  kept: (B, S, D), True where a number was kept.

    The words have an entry for each axis.  Every slice should be large enough that chance alone does not
    make two of them equal.
    """
    axes = range(kept.dim())
    different = [len(torch.unique(kept.movedim(axis, 0).flatten(1), dim=0)) for axis in axes]
    for axis in reversed(axes):
        if different[axis] == 1 < kept.shape[axis]:
            return all_alike[axis]
    for axis in reversed(axes):
        if different[axis] < kept.shape[axis]:
            return some_alike[axis]
    return None


def called_in_training(lab: Lab, probe: Probe) -> tuple[Made, Observation]:
    """An object made for the probe, and what its first call in training gave."""
    settings: dict[str, Any] = {"init": dict(probe.init or {}), "state": dict(probe.state or {})}
    made = lab.make(probe.target, **settings, train=True, dtype=probe.dtype)
    return made, made(*(probe.args or ()), train=True, seed=0)


def drawn_anew(lab: Lab, probe: Probe, made: Made, first_call: Observation) -> None:
    """The check fails when an object that was called in training drops the same numbers in a second call.

    What an earlier part of the learner's own does in training is that exercise's matter.
    """
    if lab.carried:
        return
    calls = [first_call.value, made(*(probe.args or ()), train=True, seed=1).value]
    # the first output; of attention, the weights follow from the same throw
    first, second = (value[0] if isinstance(value, (tuple, list)) and value else value for value in calls)
    whole = lab.right(probe.but(train=False)).seen.value
    whole = whole[0] if isinstance(whole, tuple) else whole
    if not (isinstance(first, Tensor) and isinstance(second, Tensor)) or first.shape != second.shape:
        return  # another check's matter, as is that nothing is dropped
    if torch.equal(first, second) and not lab.close(first, whole, probe.condition):
        lab.fail(
            f"{probe.title.en}: two calls drop the same numbers; each call should draw anew",
            f"{probe.title.zh}：两次调用丢弃的是同样的数；每次调用都应重新抽取",
        )


def dropped_in_eval(lab: Lab, probe: Probe) -> None:
    """The check fails, and says so, when a call in eval mode that is not right has chance in it, and without
    a rate has none."""
    seen, right = lab.glimpse(probe).value, lab.right(probe).seen.value
    if isinstance(seen, Tensor) and lab.close(seen, right, probe.condition):
        return
    without = probe.but(init={**(probe.init or {}), "dropout": 0.0})
    a, b, c, d = (lab.observe(p, seed=n).value for p in (probe, without) for n in (1, 2))
    if all(isinstance(t, Tensor) for t in (a, b, c, d)) and torch.equal(c, d) and not torch.equal(a, b):
        lab.fail(
            f"{probe.title.en}: numbers are dropped in eval mode",
            f"{probe.title.zh}：在 eval 模式下仍有数被丢弃",
            fault="dropout-in-eval",
        )


def kept_of(width: int) -> Tensor:
    """All ways to keep or drop `width` numbers (2^width, width): 1 is kept, 0 is dropped."""
    return torch.tensor(list(product([0.0, 1.0], repeat=width)), dtype=torch.float64)
