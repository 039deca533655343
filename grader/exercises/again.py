"""What the suites ask of an object that has been called before: that it keeps nothing of that call."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from grader.diagnosis.model import Probe
from grader.marking.lab import Lab

__all__ = ["keeps_nothing"]


def keeps_nothing(lab: Lab, probe: Probe, before: Probe, fault: str | None = None) -> None:
    """The check fails when an object gives something else on `probe` once it was called as in `before`.

    What an earlier part of the learner's own keeps is that exercise's matter.
    """
    if lab.carried:
        return
    fresh = lab.observe(probe)
    lab.must_work(fresh, probe.title)
    settings: dict[str, Any] = {"init": dict(probe.init or {}), "state": dict(probe.state or {})}
    made = lab.make(probe.target, **settings, train=False, dtype=probe.dtype)
    made(*(before.args or ()), kwargs=dict(before.kwargs))
    again = made(*(probe.args or ()), kwargs=dict(probe.kwargs))
    lab.must_work(again, probe.title)
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
