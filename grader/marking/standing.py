"""One way in which an exercise stands on the learner's earlier parts, and what is known of it.

What the model on top of the parts gives is worked out once for a probe: every run of it calls them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

from grader.diagnosis.evidence import right_run
from grader.diagnosis.faults import Fault
from grader.diagnosis.matching import match
from grader.diagnosis.model import Course, Model, Prediction, Probe, float_tensors, follow, predict
from grader.exercises.room import Room
from grader.marking.memo import Memo, memo_of
from grader.submission.asking import Asked
from grader.submission.observation import ErrorInfo
from grader.threads import one_thread

__all__ = ["Standing"]

FEW = 16  # mistakes that are looked at first
TELLING = 0.6  # of the mistakes that show in the first probe must still show on top of the parts


class Standing:
    """plain: the exercise's own room; room: the same on top of the parts."""

    def __init__(self, plain: Room, room: Room) -> None:
        self.plain = plain
        self.room = room
        self.memo = _Memo(plain, room)
        self._calls = {p: p.but(grad=False) for p in _calls(room)}
        self._courses: dict[Probe, Course] = {}

    @one_thread()
    def raised(self) -> ErrorInfo | None:
        """What the parts raise on a plain call, if they do."""
        for probe, quiet in self._calls.items():
            course = self._courses[probe] = follow(self.room.models[probe.target], quiet)
            if course.right.seen.error is not None:
                return course.right.seen.error
        return None

    @one_thread()
    def still_tells(self) -> bool:
        """Whether mistakes of the exercise itself still show on top of the parts.

        On an attention that returns nothing but zeros everything would be right: there is nothing to mark.
        """
        return all(self._tells(probe) for probe in self._calls)

    def _tells(self, probe: Probe) -> bool:
        model = self.room.models[probe.target]
        showing = _showing(self.plain, probe)
        faults = [f for f in self.room.catalogue.of(model) if _telling(f) and _name(f) in showing]
        some = faults[:: max(1, len(faults) // FEW)]
        if len(some) >= FEW and all(self._shows(model, fault, probe) for fault in some):
            return True  # all of a few that are spread over them
        missing, left = len(faults) * TELLING, len(faults)
        for fault in faults:
            if missing <= 0 or missing > left:
                break
            missing -= self._shows(model, fault, probe)
            left -= 1
        return missing <= 0

    def _shows(self, model: Model, fault: Fault, probe: Probe) -> bool:
        quiet = self._calls[probe]
        if probe not in self._courses:
            self._courses[probe] = follow(model, quiet)
        course = self._courses[probe]
        if match(predict(model, quiet, fault.steps, course), course.right.seen, quiet) is None:
            return True
        if not probe.grad:
            return False
        loud = right_run(model, probe)  # other gradients, with the same values
        return match(predict(model, probe, fault.steps, loud), loud.right.seen, probe) is None


def _calls(room: Room) -> Iterator[Probe]:
    """For each function or class that stands on a part: the first call of it."""
    for target, model in room.models.items():
        if model.carried:
            yield next(
                p for p in room.probes if p.target == target and p.args is not None and p.tier == "core"
            )


class _Memo(Memo):
    """What the model on top of the parts gives, for one marking; the requests are those of the plain room
    wherever they do not depend on that."""

    def __init__(self, plain: Room, room: Room) -> None:
        super().__init__()
        self._plain, self._room = plain, room
        self._others = memo_of(plain.id)
        self._own = {id(p) for p in room.probes}

    def asked(self, probe: Probe, options: tuple[Any, ...], make: Callable[[], Asked]) -> Asked:
        """The request of a probe: what is pulled back through a result depends on its shape alone."""
        others = self._others
        if others is None or (probe.grad and not self._is_shaped_alike(probe, others)):
            return super().asked(probe, options, make)
        with self._one_digest(others):
            return others.asked(probe, options, make)

    def right(self, model: Model, probe: Probe) -> Prediction:
        """What an exercise gives that is right on top of the parts."""
        if id(probe) in self._own:
            return right_run(model, probe).right
        return super().right(model, probe)

    @contextmanager
    def _one_digest(self, others: Memo) -> Iterator[None]:
        """Lets the other memo know the digest of the last probe, or learns it from there."""
        others._last = self._last
        yield
        self._last = others._last

    def _is_shaped_alike(self, probe: Probe, others: Memo) -> bool:
        found = float_tensors(self.right(self._room.models[probe.target], probe).seen.value)
        with self._one_digest(others):
            wanted = float_tensors(others.right(self._plain.models[probe.target], probe).seen.value)
        return [t.shape for t in found] == [t.shape for t in wanted]


# -- what is the same for every submission ----------------------------------------------------------


_Name = tuple[tuple[str, Callable[..., Any]], ...]
_showings: dict[tuple[str, str, str], frozenset[_Name]] = {}


def _name(fault: Fault) -> _Name:
    """What a fault is known by in whatever room: what it replaces, and by what."""
    return tuple(sorted(fault.steps.items(), key=lambda step: step[0]))


def _telling(fault: Fault) -> bool:
    return fault.tier == "core" and fault.family is None


def _showing(plain: Room, probe: Probe) -> Collection[_Name]:
    """The mistakes that show in a probe by themselves."""
    key = plain.id, probe.target, probe.name
    if key not in _showings:
        model = plain.models[probe.target]
        course = right_run(model, probe)
        made = plain.catalogue.compiled(model)
        known = made is not None and made.knows(probe) and made.agrees(probe, course.right)
        found = []
        for row, fault in enumerate(plain.catalogue.of(model)):
            if not _telling(fault):
                continue
            if made is not None and known:
                shows = made.effect(row, probe).spoils
            else:
                shows = match(predict(model, probe, fault.steps, course), course.right.seen, probe) is None
            if shows:
                found.append(_name(fault))
        _showings[key] = frozenset(found)
    return _showings[key]
