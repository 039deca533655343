"""What the checks of exercise 9 share: steps and decoding judged part by part."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.matching import named
from grader.diagnosis.model import Probe
from grader.exercises.training.drawing import AFTER
from grader.marking.lab import Lab
from grader.submission.observation import Observation, Opaque

__all__ = ["decodes", "observed", "returns_floats", "steps_agree"]

PARTS = ("losses", *AFTER[:3])


def observed(lab: Lab, probe: Probe) -> Observation:
    """What was seen of calls that must work."""
    seen = lab.glimpse(probe)
    lab.must_work(seen, probe.title)
    return named(seen, lab.model(probe.target))


def steps_agree(lab: Lab, probe: Probe) -> Observation:
    """The check fails unless the losses and the parameters after each step are right.

    A loss may come as a tensor here: that it should be a float is the matter of another check.
    """
    seen = observed(lab, probe)
    right = lab.right(probe).seen.value
    for name, found, wanted in zip(PARTS, seen.value, right):
        if name == "losses":
            found = _numbers(found, wanted)
            if found is None:  # None, say: the check of what is returned tells
                continue
            name = "loss" if len(found) == 1 else "losses"
        else:
            name = f"model.{name}"
        if name == "loss":
            found, wanted = found[0], wanted[0]
        lab.near(name, found, wanted, condition=probe.condition, title=probe.title)
    return seen


def _numbers(found: Any, wanted: Tensor) -> Tensor | None:
    """The losses as one tensor, where each is a number at all."""
    if isinstance(found, Tensor):
        return found
    if not isinstance(found, tuple):
        return None
    parts = [torch.tensor(float(x)) if type(x) in (int, float) else x for x in found]
    if not all(isinstance(x, Tensor) and x.numel() == 1 for x in parts):
        return None
    return torch.stack([x.reshape(()).to(wanted.dtype) for x in parts])


def returns_floats(lab: Lab, probe: Probe) -> None:
    """The check fails unless each call returned a Python float."""
    first = observed(lab, probe).value[0]
    if isinstance(first, Tensor):
        return
    value = first[0] if isinstance(first, tuple) and first else first
    kinds: dict[type, str] = {Tensor: "torch.Tensor", type(None): "None"}
    kind = value.type if isinstance(value, Opaque) else kinds.get(type(value), type(value).__name__)
    lab.fail(
        f"{probe.title.en}: train_step returned {kind}, expected a Python float",
        f"{probe.title.zh}：train_step 返回的是 {kind}，应为 Python 浮点数",
    )


def decodes(lab: Lab, probe: Probe) -> Observation:
    """The check fails unless the tokens are right, as far as they are not open."""
    return lab.agrees(probe, parts=("tokens",))
