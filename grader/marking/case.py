"""An exercise on its way through a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.exercises.registry import Exercise
from grader.marking.lab import Lab
from grader.submission.files import SourceFile
from grader.submission.recalling import Recalling
from grader.text import Text

if TYPE_CHECKING:
    from grader.marking.second import Half

__all__ = ["Case"]


@dataclass
class Case:
    """status, fault, note, place and line: what was found before the suite runs, if anything.

    place: the file that the line is in, where that is not the exercise's own; stand_ins: earlier exercises
    for which the kit's own part is used; half: the checks that a second grader runs.
    """

    exercise: Exercise
    file: SourceFile | None
    status: str | None = None
    note: Text | None = None
    fault: str | None = None
    place: str | None = None
    line: int | None = None
    client: Recalling | None = None
    lab: Lab | None = None
    stand_ins: Sequence[str] = ()
    unfinished: Mapping[str, int] = field(default_factory=dict)
    half: Half | None = None

    @property
    def stopped(self) -> bool:
        """Whether a worker crashed or was stopped."""
        return self.client is not None and self.client.stops > 0

    @property
    def printed(self) -> str:
        """What the submission printed."""
        if self.client is None:
            return ""
        more = self.half.printed if self.half is not None else ""
        return ("".join(self.client.printed) + more)[: self.client.budget.output]

    def stop(
        self, status: str, fault: str | None, note: Text, line: int | None = None, place: str | None = None
    ) -> None:
        """Sets the status and what it rests on."""
        self.status, self.fault, self.note, self.line, self.place = status, fault, note, line, place

    def close(self) -> None:
        """Ends its worker, if one runs."""
        if self.client is not None:
            self.client.close()
