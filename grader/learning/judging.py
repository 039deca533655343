"""What the measurements mean: from what was seen to findings, the most telling first."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grader.learning import said_of_learning, said_of_steps
from grader.learning.measures import cross_entropy, other_losses, targets_are
from grader.learning.records import Curve, Exam, Finding, Look
from grader.learning.tasks import IGNORE, Task
from grader.text import Text

if TYPE_CHECKING:
    from grader.learning.driving import Driver

__all__ = ["judge", "status_of"]

MOVES = 1e-3  # of the size of the logits: more is no rounding
ROUNDING = 1e-5  # of the size of the logits: to a bag of tokens, nothing else moves them
CLOSE = 1e-3  # between a loss that is reported and one that is computed here
FIRST = ("stopped", "sees-ahead")
PER_STEP = 0.2  # MiB: more at each step is a graph that is kept, or something like it
LEAST_STEPS = 75  # for a trend of the memory


def status_of(driver: Driver) -> str:
    """``learnt`` where what was learnt has been seen on held-out sequences, and not before the first step."""
    exam, task = driver.exam, driver.task
    if driver.stopped is not None or exam is None:
        return "stopped"
    honest = exam.untrained < task.pass_at
    return "learnt" if exam.accuracy >= task.pass_at and honest else "not learnt"


def judge(driver: Driver) -> tuple[Finding, ...]:
    """The findings of one task; a reason comes before what was only noticed."""
    task, exam, curve = driver.task, driver.exam, driver.curve
    found = []
    if driver.stopped is not None:
        found.append(said_of_learning.stopped(driver.stopped.text, len(driver.losses)))
    if driver.look is not None:
        found += _of_look(driver.look, task, driver.kinds)
    found += _of_curve(curve)
    if exam is not None:
        found += _of_exam(exam, curve, task)
        missed = status_of(driver) != "learnt"
        if missed and driver.hurried:
            found.append(said_of_learning.out_of_time(len(curve.losses), task.steps, curve.seconds))
        if missed and not any(f.heavy for f in found):
            found.append(said_of_learning.plateau(_settled(curve), task, exam))
    if status_of(driver) == "learnt":  # what did not keep it from learning is only noticed
        found = [said_of_learning.beside(f) for f in found]
    if any(f.id == "logits-not-finite" for f in found):  # from which the rest follows
        found = [f for f in found if f.id != "not-finite"]
    unique = list({f.id: f for f in reversed(found)}.values())[::-1]
    return tuple(sorted(unique, key=lambda f: (not f.heavy, f.id not in FIRST)))


# -- before learning --------------------------------------------------------------------------------


def _of_look(look: Look, task: Task, kinds: list[Text]) -> Iterator[Finding]:
    finite = bool(look.logits.isfinite().all())
    if not finite:
        real = bool(look.logits[look.tokens != 0].isfinite().all())
        yield said_of_learning.logits_not_finite(
            int((~look.logits.isfinite()).sum()), look.logits.numel(), real
        )
    yield from _of_targets(look)
    yield from _of_steps(look)
    yield from _of_loss(look, task)
    if finite and look.order <= ROUNDING * look.scale:
        yield said_of_learning.no_order(look.order, task)
    if kinds:
        yield said_of_steps.returns_other(kinds[0])


def _of_targets(look: Look) -> Iterator[Finding]:
    kind = targets_are(look.targets, look.tokens, look.right)
    if kind != "right":
        row, place = next(map(tuple, (look.targets != look.right).nonzero().tolist()))
        yield said_of_steps.targets_wrong(
            kind, row, place, int(look.targets[row, place]), int(look.right[row, place])
        )


def _of_steps(look: Look) -> Iterator[Finding]:
    """The order of events within `train_step`, and what the gradients are when the optimiser steps."""
    first, second = look.again.events[0], look.again.events[1]
    norms, left = look.again.norms, look.again.left
    stepped = first.count("step")
    if stepped == 0:
        moved = look.trained.moved
        yield said_of_steps.bypassed(moved) if moved > 0 else said_of_steps.never_steps()
        return
    step = first.index("step")
    # who computes gradients in another way, and puts them in place, causes no such event
    backward = first.index("backward") if "backward" in first else None
    if backward is not None and step < backward:
        yield said_of_steps.steps_first(norms[0], left[0])
    elif norms[0] == 0.0 and backward is None:
        yield said_of_steps.no_backward()
    elif norms[0] == 0.0 and "clear" in first[backward:step]:
        yield said_of_steps.cleared_before_step()
    elif norms[0] == 0.0:
        yield said_of_steps.gradients_zero()
    elif norms[1] > 1.5 * norms[0] and "step" in second:
        yield said_of_steps.accumulates(norms[0], norms[1], cleared="clear" in first)
    if stepped > 1:
        yield said_of_steps.steps_twice(stepped)
    reached, parameters = look.again.reached[0], look.again.parameters
    if norms[0] > 0 and reached < parameters:
        yield said_of_learning.not_reached(reached, parameters)
    clipped = look.clipped.norms[0]
    growing = (
        norms[1] > 1.5 * norms[0]
    )  # then it says so, and the norms of later calls say nothing of clipping
    if not growing and math.isfinite(look.limit) and look.limit > 0 and clipped > 1.1 * look.limit:
        yield said_of_steps.not_clipped(look.limit, clipped, late=look.clipped.left[0] <= 1.1 * look.limit)


def _of_loss(look: Look, task: Task) -> Iterator[Finding]:
    """The loss that `train_step` reports, against the one of the same logits computed here."""
    reported = look.again.losses[0]
    assert reported is not None
    counted = task.counted()
    own = look.targets.masked_fill(~counted, IGNORE)
    expected = cross_entropy(look.logits, own)
    if not math.isfinite(expected) or _same(reported, expected):
        return
    for id, value in other_losses(look.logits, own):
        if _same(reported, value):
            yield said_of_steps.loss_wrong(id, reported, expected)
            return
    yield said_of_steps.loss_wrong("loss-differs", reported, expected)


def _same(a: float, b: float) -> bool:
    return abs(a - b) <= CLOSE * max(1e-3, abs(b))


# -- while it learns, and after ---------------------------------------------------------------------


def _of_curve(curve: Curve) -> Iterator[Finding]:
    for step, loss in enumerate(curve.losses, 1):
        if not math.isfinite(loss):
            before = curve.losses[step - 2] if step > 1 else None
            yield said_of_learning.not_finite(step, loss, before)
            break
    steady = [(s, m) for s, m in curve.memory if s >= 25]
    if steady and steady[-1][0] - steady[0][0] >= LEAST_STEPS:
        (s0, m0), (s1, m1) = steady[0], steady[-1]
        half = min(steady, key=lambda pair: abs(pair[0] - (s0 + s1) / 2))[1]
        rate = (m1 - m0) / (s1 - s0)
        if rate > PER_STEP and (m1 - half) > 0.3 * (m1 - m0):
            yield said_of_learning.memory_grows(rate, s0, m0, s1, m1)


def _of_exam(exam: Exam, curve: Curve, task: Task) -> Iterator[Finding]:
    if exam.untrained >= task.pass_at:
        yield said_of_learning.right_before_learning(exam.untrained)
    if exam.finite and exam.ahead > MOVES * exam.scale:
        yield said_of_learning.sees_ahead(exam, _settled(curve))
    if exam.ours >= task.pass_at > exam.accuracy:
        yield said_of_learning.decode_wrong(exam)


def _settled(curve: Curve) -> float:
    """The mean of the last reported losses."""
    last = [loss for loss in curve.losses[-20:] if math.isfinite(loss)]
    return sum(last) / len(last) if last else float("nan")
