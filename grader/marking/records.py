"""The results of grading, as frozen records.  Reports are pure functions over them."""

from __future__ import annotations

from dataclasses import dataclass, field

from grader.devices.records import DeviceRun
from grader.marking.picture import Picture
from grader.text import Text

__all__ = ["CheckResult", "Diagnosis", "ExerciseResult", "Held", "NamedFault", "Report"]


@dataclass(frozen=True)
class CheckResult:
    """One check: outcome is ``passed``, ``failed`` or ``skipped``; tier ``core`` or ``edge``.

    target: the learner's function or class that the check was looking at when it failed.
    """

    id: str
    title: Text
    tier: str
    outcome: str
    points: float
    max_points: float
    message: Text | None = None
    fault: str | None = None
    file: str | None = None
    line: int | None = None
    target: str | None = None


@dataclass(frozen=True)
class NamedFault:
    """A mistake that was found, with its place and its texts."""

    id: str
    title: Text
    explanation: Text
    hints: tuple[Text, ...] = ()
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class Diagnosis:
    """One explanation: confidence is ``confirmed``, ``likely`` or ``unrecognised``."""

    faults: tuple[NamedFault, ...]
    tier: str
    confidence: str
    evidence: Text


@dataclass(frozen=True)
class Held:
    """At `positions` positions the forward pass held as much as so many `tensors` of S x S at once, of which
    `suffice` are enough."""

    positions: int
    tensors: int
    suffice: int

    def mib(self, positions: int, heads: int = 8) -> tuple[float, float]:
        """In float32 with so many positions: what it takes, and what would be enough."""
        one = positions**2 * heads * 4 / 2**20
        return self.tensors * one, self.suffice * one


@dataclass(frozen=True)
class ExerciseResult:
    """An exercise: status as in the JSON interface; note: the sentence that explains the status;
    readable: False when the file is empty, no Python, or cannot be imported; leak: a map that shows where
    attention, or a result, comes from what is forbidden, if that is what is wrong; in_notebook: it,
    or what it is marked on top of, stands in the cells of one; held: what attention keeps in memory."""

    id: str
    title: Text
    status: str
    score: float
    max_score: float
    seconds: float
    checks: tuple[CheckResult, ...] = ()
    diagnoses: tuple[Diagnosis, ...] = ()
    note: Text | None = None
    printed: str = ""
    carried_forward_from: tuple[str, ...] = ()
    readable: bool = True
    leak: Picture | None = None
    in_notebook: bool = False
    held: Held | None = None

    @property
    def passed(self) -> bool:
        return self.status == "passed"


@dataclass(frozen=True)
class Report:
    """A whole run; notes: what of a notebook was left out; device: what was tried on one, where asked for."""

    kit: str
    torch: str
    python: str
    isolation: str
    submission: str
    exercises: tuple[ExerciseResult, ...]
    layers: tuple[str, ...] = field(default=())
    seconds: float = 0.0
    notes: tuple[Text, ...] = ()
    device: DeviceRun | None = None

    @property
    def score(self) -> float:
        return sum(e.score for e in self.exercises)

    @property
    def max_score(self) -> float:
        return sum(e.max_score for e in self.exercises)

    @property
    def graded(self) -> bool:
        """False when there was nothing but files that cannot be used."""
        return any(e.readable for e in self.exercises)

    @property
    def passed(self) -> bool:
        """True only when at least one exercise was graded and all of them passed."""
        return bool(self.exercises) and all(e.passed for e in self.exercises)
