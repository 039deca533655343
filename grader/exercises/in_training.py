"""What the suites ask of a module in training: that it learns, and what its defaults are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.matching import match, named
from grader.diagnosis.model import Model, Probe, Step, predict
from grader.marking.lab import Lab
from grader.submission.observation import Observation
from grader.text import Text

__all__ = ["learns_in_training", "same_by_chance", "same_by_default"]

CLOSE = 250.0  # the most that faults are told apart by


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
                fault="output-detached" if _matters(lab, active, key) else None,
            )


def _matters(lab: Lab, probe: Probe, key: str) -> bool:
    """Whether the result depends on the parameter at all: what is not used has no gradient either."""
    name, state = key.removeprefix("param:"), dict(probe.state or {})
    if name == key or name not in state:
        return True
    one = probe.but(grad=False)
    other = one.but(state={**state, name: state[name] + 1.0})
    return not _same(lab.observe(one), lab.observe(other))


def same_by_chance(lab: Lab, probe: Probe, seen: Observation) -> None:
    """The check fails, and says what is different in training, when a call in training that differs from
    the same call in eval mode does so without any chance: nothing is dropped there.

    `seen`: what the call in training gave, with a seed of 0.
    """
    if not _same(seen, lab.observe(probe, seed=1)):
        return
    model = lab.model(probe.target)
    close = probe.but(condition=min(probe.condition, CLOSE))
    alike = (f.id for f in lab.room.catalogue.of(model) if _gives(model, close, f.steps, seen))
    fault = next(alike, None)
    lab.fail(
        f"{probe.title.en}: the result is not that of eval mode, though nothing is dropped",
        f"{probe.title.zh}：没有丢弃任何数，结果却与 eval 模式下不同",
        fault=fault,
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


def _gives(model: Model, probe: Probe, steps: Mapping[str, Step], seen: Observation) -> bool:
    """Whether the model with these steps gives what was seen."""
    return match(predict(model, probe, steps), seen, probe) is not None


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
