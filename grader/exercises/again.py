"""What the suites ask of an object that has been called before: that it keeps nothing of that call."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.marking.lab import Lab, Made

__all__ = ["follows_weights", "keeps_nothing"]


def keeps_nothing(lab: Lab, before: Probe, *probes: Probe, faults: Sequence[str | None] = ()) -> Made | None:
    """The check fails when an object that was called as in `before`, and then as in each of `probes`, gives
    something else than a new object does.  All have the same settings and state.  Returns the object.

    What an earlier part of the learner's own keeps is that exercise's matter.
    """
    if lab.carried:
        return None
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
    return made


def follows_weights(lab: Lab, made: Made | None, probe: Probe) -> None:
    """The check fails when an object that was last called as in `probe`, in eval mode, gives the same when
    it is called so again with other weights.

    Where it is wrong with the first ones already, that is another check's matter.
    """
    if made is None or lab.carried:
        return
    state = dict(probe.state or {})
    other = {name: t if t.dim() < 2 else t.roll(1, 0) for name, t in state.items()}
    before, wanted = (lab.right(probe.but(state=s)).seen.value for s in (state, other))
    first = lab.glimpse(probe, gradients=False).value
    if not lab.client.forward(made.handle, (other,), {}, method="load_state_dict").ok:
        return  # another check's matter, too
    again = made(*(probe.args or ()), kwargs=dict(probe.kwargs), train=False)
    lab.must_work(again, probe.title)
    if not (isinstance(first, Tensor) and isinstance(again.value, Tensor)):
        return
    if any(t.shape != before.shape or not t.is_floating_point() for t in (first, again.value)):
        return
    where = probe.where if probe.where is not None else torch.ones_like(before, dtype=torch.bool)
    found, first, before, wanted = (t[where].nan_to_num() for t in (again.value, first, before, wanted))
    if lab.close(first, before, probe.condition) and not lab.close(found, wanted, probe.condition):
        lab.fail(
            f"{probe.title.en}, called again after other weights were loaded: the result is not that of the "
            "new weights; is something kept from the first call?",
            f"{probe.title.zh}，载入另一组权重后再次调用：结果不是新权重的结果；是否留用了第一次调用的东西？",
            fault="result-kept-between-calls",
        )


def _tensors(value: Any) -> list[Tensor]:
    values = value if isinstance(value, (tuple, list)) else [value]
    return [one for one in values if isinstance(one, Tensor)]
