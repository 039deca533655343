"""What a workspace's events come to: attempts, time, hints, and the mistakes that came back.

An attempt is a run of a file that differs from the run before it, and in which there was something to look
at.  Time is what lies between two events: it counts for the exercise whose file changed in between; what is
longer than `PAUSE` was a pause and does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from grader.text import Text
from grader.workspace.misconceptions import misconception_of
from grader.workspace.place import Event
from grader.workspace.runs import Run, run_of

__all__ = ["NO_MISTAKE", "PAUSE", "Mistake", "Progress", "Seen", "Standing", "met_before", "progress_of"]

PAUSE = 15 * 60.0
# what is no misconception, but work that is not done yet or a slip of the keyboard
NO_MISTAKE = frozenset({"not-implemented", "syntax-error", "unreadable-file", "missing-name"})


@dataclass(frozen=True)
class Standing:
    """One exercise: last is its last run, seconds the time spent on it."""

    exercise: str
    last: Run | None = None
    passed_at: float | None = None
    attempts: int = 0
    seconds: float = 0.0
    hints: int = 0

    @property
    def status(self) -> str | None:
        return self.last.status if self.last is not None else None


@dataclass(frozen=True)
class Seen:
    """A mistake in one exercise: from its first to its last run; open when the last run still had it."""

    fault: str
    title: Text
    exercise: str
    first: float
    last: float
    attempts: int
    open: bool


@dataclass(frozen=True)
class Mistake:
    """A misconception with all the faults that it showed in; back: the exercises in which it turned up
    after it had been seen in another one."""

    id: str
    title: Text
    seen: tuple[Seen, ...]
    back: tuple[str, ...]

    @property
    def open(self) -> bool:
        return any(s.open for s in self.seen)


@dataclass(frozen=True)
class Progress:
    """A whole workspace."""

    standings: tuple[Standing, ...]
    mistakes: tuple[Mistake, ...]

    @property
    def passed(self) -> int:
        return sum(s.status == "passed" for s in self.standings)


def progress_of(events: Sequence[Event], exercises: Sequence[str]) -> Progress:
    """The progress, the exercises in the given order."""
    books = {name: _Book(name) for name in exercises}
    before: float | None = None
    for moment in _moments(events):
        spent = 0.0 if before is None else moment.time - before
        if 0 < spent <= PAUSE:
            _share_out(spent, moment, books)
        before = moment.time if before is None else max(before, moment.time)
        for run in moment.runs:
            if run.exercise in books:
                books[run.exercise].enter(run)
        for name in moment.hints:
            if name in books:
                books[name].hints += 1
    return Progress(tuple(b.standing() for b in books.values()), _mistakes(list(books.values())))


def met_before(seen: Iterable[Seen], fault: str, exercise: str, now: float) -> Seen | None:
    """Where the misconception behind a fault was seen first, in another exercise and before `now`."""
    wanted = misconception_of(fault).id
    found = [
        s for s in seen if s.exercise != exercise and s.first < now and misconception_of(s.fault).id == wanted
    ]
    return min(found, key=lambda s: s.first, default=None)


# -- the books --------------------------------------------------------------------------------------


@dataclass
class _Book:
    """What is added up for one exercise."""

    exercise: str
    last: Run | None = None
    source: str = ""
    passed_at: float | None = None
    attempts: int = 0
    seconds: float = 0.0
    hints: int = 0
    seen: dict[str, Seen] = field(default_factory=dict)

    def enter(self, run: Run) -> None:
        new = run.source != self.source
        self.attempts += new and run.tried
        self.last, self.source = run, run.source
        if run.passed and self.passed_at is None:
            self.passed_at = run.time
        if run.tried or run.mistakes():
            self._mistakes(run, new)

    def _mistakes(self, run: Run, new: bool) -> None:
        now = {f.id: f for f in run.mistakes() if f.id not in NO_MISTAKE}
        for name, old in self.seen.items():
            if name not in now and old.open:
                self.seen[name] = _closed(old)
        for name, fault in now.items():
            old_one = self.seen.get(name)
            first = run.time if old_one is None else old_one.first
            attempts = (0 if old_one is None else old_one.attempts) + (new or old_one is None)
            self.seen[name] = Seen(name, fault.title, self.exercise, first, run.time, attempts, True)

    def standing(self) -> Standing:
        return Standing(self.exercise, self.last, self.passed_at, self.attempts, self.seconds, self.hints)


def _closed(seen: Seen) -> Seen:
    return Seen(seen.fault, seen.title, seen.exercise, seen.first, seen.last, seen.attempts, False)


def _share_out(spent: float, moment: _Moment, books: dict[str, _Book]) -> None:
    """The time before a moment: for the exercises whose files changed, else for what it is about."""
    runs = [r for r in moment.runs if r.exercise in books]
    owners = [r.exercise for r in runs if r.source != books[r.exercise].source and r.tried]
    owners = owners or [r.exercise for r in runs if not r.passed][:1] or [r.exercise for r in runs][:1]
    owners = owners or [name for name in moment.hints if name in books]
    for name in owners:
        books[name].seconds += spent / len(owners)


def _mistakes(books: Sequence[_Book]) -> tuple[Mistake, ...]:
    groups: dict[str, list[Seen]] = {}
    for book in books:
        for seen in book.seen.values():
            groups.setdefault(misconception_of(seen.fault).id, []).append(seen)
    found = []
    for name, members in groups.items():
        members.sort(key=lambda s: s.first)
        title = misconception_of(members[0].fault).title if len({s.fault for s in members}) > 1 else None
        start = members[0]
        back = {s.exercise: None for s in members if s.exercise != start.exercise and s.first > start.first}
        found.append(Mistake(name, title or start.title, tuple(members), tuple(back)))
    return tuple(sorted(found, key=lambda m: (not m.back, not m.open, m.seen[0].first)))


# -- moments ----------------------------------------------------------------------------------------


@dataclass
class _Moment:
    """The events of one instant: a run of several exercises is one of them."""

    time: float
    runs: list[Run] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)


def _moments(events: Sequence[Event]) -> list[_Moment]:
    found: list[_Moment] = []
    for event in events:
        if not found or found[-1].time != event.time:
            found.append(_Moment(event.time))
        run = run_of(event)
        if run is not None:
            found[-1].runs.append(run)
        elif event.kind == "hint":
            found[-1].hints.append(event.word("exercise"))
    return found
