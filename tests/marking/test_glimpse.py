"""A probe that several checks look at is run once, and judged by each for itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from grader.exercises.attention.probes import case, tensors
from grader.exercises.registry import load_room
from grader.marking.failing import CheckFailed
from grader.marking.lab import Lab
from grader.submission.observation import ErrorInfo, Observation, Outcome

PROBE = case("o", "a call", "一次调用", tensors(1, (2,)), grad=True)


class Counted(Lab):
    """What it observes is right, or what `answer` makes of it."""

    def __init__(self, answer: Any = lambda probe, seen: seen) -> None:
        client: Any = None
        super().__init__(load_room("attention"), client)
        self.ran: list[bool] = []
        self.answer = answer

    def observe(self, probe: Any, **options: Any) -> Observation:
        self.ran.append(probe.grad)
        found: Observation = self.answer(probe, self.right(probe).seen)
        return found


def raises_with_gradients(probe: Any, seen: Observation) -> Observation:
    if not probe.grad:
        return seen
    error = ErrorInfo("RuntimeError", "a leaf Variable that requires grad", ("RuntimeError",))
    return Observation(Outcome.RAISED, error=error)


def test_a_probe_is_run_once() -> None:
    lab = Counted()
    first = lab.glimpse(PROBE)
    lab.agrees(PROBE)
    lab.agrees(PROBE, gradients=False, parts=["weights"])
    assert lab.glimpse(PROBE, gradients=False) is first
    assert lab.ran == [True]


def test_another_probe_of_the_same_content_is_another_call() -> None:
    lab = Counted()
    lab.agrees(PROBE)
    lab.agrees(PROBE.but())
    assert len(lab.ran) == 2


def test_the_next_submission_is_asked_anew() -> None:
    for _ in range(2):
        lab = Counted()
        lab.agrees(PROBE)
        assert lab.ran == [True]


def test_what_raises_for_its_gradients_is_run_without_them() -> None:
    lab = Counted(raises_with_gradients)
    for _ in range(2):
        lab.agrees(PROBE, gradients=False)
        with pytest.raises(CheckFailed, match="a leaf Variable"):
            lab.agrees(PROBE)
    assert lab.ran == [True, False]


def test_wrong_gradients_are_left_to_the_check_that_is_about_them() -> None:
    def halved(probe: Any, seen: Observation) -> Observation:
        return replace(seen, grads={k: None if g is None else g / 2 for k, g in seen.grads.items()})

    lab = Counted(halved)
    lab.agrees(PROBE, gradients=False)
    with pytest.raises(CheckFailed, match="grad"):
        lab.agrees(PROBE)
    assert lab.ran == [True]


def test_a_wrong_value_fails_every_check_that_looks_at_it() -> None:
    lab = Counted(lambda probe, seen: replace(seen, value=tuple(torch.zeros_like(t) for t in seen.value)))
    for gradients in (True, False, True):
        with pytest.raises(CheckFailed):
            lab.agrees(PROBE, gradients=gradients)
    assert lab.ran == [True]
