"""What the watch shows at one moment, as a record; `grader.reports.watch` draws it."""

from __future__ import annotations

from dataclasses import dataclass

from grader.marking.records import ExerciseResult
from grader.text import Text
from grader.workspace.hints import Answer
from grader.workspace.progress import Seen

__all__ = ["KEYS", "View"]

KEYS = ("n", "h", "l", "e", "r", "t", "q")


@dataclass(frozen=True)
class View:
    """One picture.

    current: the exercise at work, None when every one is passed
    statuses: of every exercise, None where unknown
    result: the verdict on the current one, None while it is not known
    celebrated: what has just been passed; still: what was passed before, and still is
    also: later exercises that were graded again because of a save
    met: where the top mistake was met before
    question: what is asked with a key
    listed: the table of exercises is shown
    lost: progress cannot be saved in this folder
    whole: these are all the exercises that there are
    verdict: its number, another one whenever something was graded, be the outcome the same
    """

    current: str | None
    statuses: tuple[tuple[str, str | None], ...]
    result: ExerciseResult | None = None
    celebrated: ExerciseResult | None = None
    still: str | None = None
    also: tuple[tuple[str, str], ...] = ()
    hint: Answer | None = None
    met: Seen | None = None
    now: float = 0.0
    message: Text | None = None
    question: Text | None = None
    listed: bool = False
    lost: bool = False
    whole: bool = False
    verdict: int = 0

    @property
    def passed(self) -> int:
        return sum(status == "passed" for _, status in self.statuses)

    @property
    def total(self) -> int:
        return len(self.statuses)

    @property
    def done(self) -> bool:
        return self.passed == self.total
