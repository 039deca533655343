"""What the suites ask of a module in training: that it learns, and what its defaults are."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.matching import named
from grader.diagnosis.model import Probe
from grader.marking.lab import Lab
from grader.submission.observation import Observation
from grader.text import Text

__all__ = ["learns_in_training", "same_by_default"]


def learns_in_training(lab: Lab, probe: Probe) -> None:
    """The check fails when a gradient that flows in eval mode does not flow in training with dropout.

    How large it is, is chance; that there is one, is not.  What an earlier part of the learner's own does
    in training is that exercise's matter.  A probe that is in training and has gradients is glimpsed.
    """
    if lab.carried:
        return
    plain = probe.but(init={**(probe.init or {}), "dropout": 0.0}, train=False, grad=True)
    active = probe
    if not (probe.train and probe.grad):
        active = plain.but(init={**(probe.init or {}), "dropout": 0.5}, train=True)
    dropout = (active.init or {})["dropout"]
    title = probe.title
    if active is not probe:
        title += Text(f", in training with dropout={dropout}", f"，训练模式、dropout={dropout}")
    seen = named(lab.glimpse(active), lab.model(probe.target))
    lab.must_work(seen, title)
    if seen.gradient == "raised":
        error = seen.gradient_error
        what = (error.type, error.message.strip().partition("\n")[0]) if error else ("", "")
        lab.fail(
            f"{title.en}: the backward pass raised {what[0]}: {what[1]}",
            f"{title.zh}：反向传播报错 {what[0]}：{what[1]}",
        )
    for key, wanted in lab.right(plain).seen.grads.items():
        found = seen.grads.get(key)
        if wanted is not None and bool(wanted.abs().max() > 1e-3) and not _any(found):
            label = key.removeprefix("param:")
            lab.fail(
                f"{title.en}: no gradient reaches {label}",
                f"{title.zh}：梯度没有传到 {label}",
                # what comes back as it was depends on nothing else: that is no graph cut off
                fault=None if any(_equal(seen.value, a) for a in active.args or ()) else "output-detached",
            )


def same_by_default(lab: Lab, probe: Probe, *, title: Text | None = None, **settings: Any) -> None:
    """The check fails when leaving a setting out is not the same as giving it as the exercise has it.

    What happens by chance is drawn from the same seed both times, so that it is the same too.  A probe that
    gives the setting already is glimpsed.
    """
    init = probe.init or {}
    given = probe if settings.items() <= init.items() else probe.but(init={**init, **settings})
    kept = {name: value for name, value in init.items() if name not in settings}
    left_out = probe.but(init=kept, grad=False)
    first = lab.glimpse(given, gradients=False)
    if not first.ok:
        return  # another check's matter
    seen = lab.observe(left_out)
    if (seen.ok and _same(first, seen)) or not _same(first, lab.observe(given.but(grad=False))):
        return  # the same, or different from one call to the next: another check's matter
    names = ", ".join(settings)
    values = ", ".join(f"{name}={value}" for name, value in settings.items())
    title = (title or probe.title) + Text(f", {names} not given", f"，不传 {names}")
    lab.must_work(seen, title)
    lab.fail(
        f"{title.en}: the result is not that of {values}, the default of the exercise",
        f"{title.zh}：结果与题目的默认值 {values} 不一致",
        fault="default-wrong",
    )


def _any(found: Tensor | None) -> bool:
    return found is not None and bool((found != 0).any())


def _same(one: Observation, other: Observation) -> bool:
    return one.ok == other.ok and _equal(one.value, other.value)


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return a.shape == b.shape and a.dtype == b.dtype and torch.equal(a.nan_to_num(), b.nan_to_num())
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_equal, a, b))
    return type(a) is type(b) and a == b
