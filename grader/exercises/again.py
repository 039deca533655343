"""What the suites ask of an object that has been called before: that it keeps nothing of that call."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from torch import Tensor

from grader.diagnosis.model import Probe
from grader.marking.lab import Lab

__all__ = ["keeps_nothing"]


def keeps_nothing(lab: Lab, before: Probe, *probes: Probe, faults: Sequence[str | None] = ()) -> None:
    """The check fails when an object that was called as in `before`, and then as in each of `probes`, gives
    something else than a new object does.  All have the same settings and state.

    What an earlier part of the learner's own keeps is that exercise's matter.
    """
    if lab.carried:
        return
    for probe in probes:
        lab.must_work(lab.glimpse(probe, gradients=False), probe.title)
    settings: dict[str, Any] = {"init": dict(before.init or {}), "state": dict(before.state or {})}
    made = lab.make(before.target, **settings, train=False, dtype=before.dtype)
    made(*(before.args or ()), kwargs=dict(before.kwargs))
    for probe, fault in zip_longest(probes, faults):
        again = made(*(probe.args or ()), kwargs=dict(probe.kwargs))
        lab.must_work(again, probe.title)
        fresh = lab.glimpse(probe, gradients=False)
        for one, other in zip(_tensors(again.value), _tensors(fresh.value)):
            if one.shape != other.shape or not lab.close(one, other, probe.condition):
                lab.fail(
                    f"{probe.title.en}, after another call: the result is not that of a new object",
                    f"{probe.title.zh}，在另一次调用之后：结果与新建的对象给出的不同",
                    fault=fault,
                )


def _tensors(value: Any) -> list[Tensor]:
    values = value if isinstance(value, (tuple, list)) else [value]
    return [one for one in values if isinstance(one, Tensor)]
