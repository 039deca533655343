"""The desk: what a save or a key leads to.  It knows no terminal and no clock, so tests can drive it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from grader.errors import GraderError, SubmissionError
from grader.exercises.registry import exercise, module_names
from grader.marking.records import ExerciseResult
from grader.submission.source import Submission, read_submission
from grader.text import Text
from grader.watch.saves import ANY
from grader.watch.view import View
from grader.workspace.digests import ABSENT, source_digest, work_digest
from grader.workspace.hints import answer, first_step, given_hints, remember
from grader.workspace.place import Workspace
from grader.workspace.progress import NO_MISTAKE, Seen, met_before, progress_of
from grader.workspace.resetting import called, place_of, reset_to_skeleton
from grader.workspace.runs import run_data

__all__ = ["Desk", "Screen"]

TRIED = ("passed", "failed", "stopped", "blocked", "error")


class Screen(Protocol):
    """Where the desk shows what it knows."""

    def show(self, view: View) -> None:
        """Draws a view."""

    def busy(self, name: str) -> None:
        """Says that an exercise is being graded."""

    def explain(self, fault: str, name: str) -> None:
        """The page about a mistake, until a key is pressed."""

    def trace(self, name: str) -> None:
        """The lines of an exercise with what they computed, until a key is pressed."""


class Desk:
    """Grades what is saved, and moves on when an exercise passes.

    grade: the verdict on one exercise of a submission; settle: waits a moment for the rest of a save, and
    returns the names that came meanwhile.
    """

    def __init__(
        self,
        folder: Path,
        chosen: Sequence[str],
        screen: Screen,
        grade: Callable[[Submission, str], ExerciseResult],
        settle: Callable[[], Collection[str]] = tuple,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.folder = folder
        self.chosen = tuple(chosen)
        self.screen = screen
        self.settle = settle
        self.now = now
        self._grade = grade
        self.workspace = Workspace.find(folder)
        self.submission = self._read()
        self.statuses: dict[str, str | None] = dict.fromkeys(self.chosen)
        self.results: dict[str, tuple[str, ExerciseResult]] = {}  # with the digest that it holds for
        self.sources: dict[str, str] = {}
        self.pending: list[str] = []  # to be graded when there is time
        self.told: set[str] = set()  # those of them that a save concerns
        self.current: str | None = None
        self.view = View(None, ())
        self._given = given_hints(())
        self._lost = False
        self._verdicts = 0
        self._explained = (0, 0)  # in which verdict, and how many of its mistakes
        self._seen: list[Seen] = []
        self._remembered()

    # -- what happens ---------------------------------------------------------------------------

    def greet(self) -> None:
        """The first picture, from what is remembered, before anything is graded."""
        self.current = self._first_open()
        self._show(View(self.current, ()))

    def start(self) -> None:
        """Grades the exercise at work; the others that are not known follow when there is time."""
        self.current = self._first_open()
        self.pending = [name for name in self.chosen if self.statuses[name] is None and name != self.current]
        if self.current is not None:
            self._look_at(self.current)
        else:
            self._show(View(None, ()))

    def saved(self, names: Collection[str]) -> None:
        """Grades what was saved, if it is another text than before; half a save is given time to be whole."""
        try:
            names, changed = self._whole(names)
        except SubmissionError as error:  # half a notebook, or none of the files is there any more
            self._show(replace(self.view, message=error.text))
            return
        for name in names:
            self.sources[name] = source_digest(self.submission.files.get(name))
        own = [name for name in self.chosen if name in changed]
        if not changed:
            return
        target = own[0] if own else self.current or self._first_open()
        if target is None:  # a helper was saved, and everything is passed: does it still?
            self.pending = list(self.chosen)
            self.told = set(self.pending)
            return
        later = [n for n in self.chosen if n != target and (n in own or self._depends(n, changed))]
        self.pending = [n for n in later if self.statuses[n] in TRIED or n in own]
        self.told = set(self.pending)
        self._verdict(target)

    def idle(self) -> bool:
        """Grades one of those that wait, if any: whether there was one."""
        if not self.pending:
            return False
        name = self.pending.pop(0)
        result = self._graded(name)
        if result is None:
            return True
        view = self.view
        if name in self.told:
            view = replace(view, also=(*(a for a in view.also if a[0] != name), (name, result.status)))
        if name == self.current:
            self._verdicts += 1
            view = replace(view, result=result, met=self._met(result))
        if self.current is None or self.statuses[self.current] == "passed":
            self.current = self._first_open()
            view = replace(view, current=self.current, result=self._known(self.current))
        self._show(view)
        return True

    def key(self, key: str) -> bool:
        """Does what a key stands for; False when it is time to leave."""
        if self.view.question is not None:
            self._answered(key)
            return True
        if key in ("q", "\x04"):
            return False
        action = {
            "n": self._next,
            "h": self._hint,
            "l": self._list,
            "e": self._explain,
            "r": self._ask_reset,
            "t": self._trace,
        }.get(key)
        if action is not None:
            action()
        elif self.view.listed or self.view.hint is not None or self.view.message is not None:
            self._show(replace(self.view, listed=False, hint=None, message=None))
        return True

    def redraw(self) -> None:
        """The same picture again, on a terminal of another size."""
        self.screen.show(self.view)

    # -- verdicts -------------------------------------------------------------------------------

    def _verdict(self, name: str) -> None:
        """Grades a saved exercise and shows what became of it."""
        before = self.statuses[name]
        self._verdicts += 1
        result = self._graded(name)
        if result is None:
            return
        if not result.passed:
            self.current = name
            self._show(View(name, (), result, met=self._met(result)))
            return
        self.current = self._first_open(after=name)
        new = before != "passed"
        view = View(
            self.current,
            (),
            self._known(self.current),
            celebrated=result if new else None,
            still=None if new else name,
        )
        if self.current is not None and view.result is None:
            self.pending.insert(0, self.current)
        self._show(view)

    def _look_at(self, name: str) -> None:
        """Makes an exercise the current one and shows its verdict, which is worked out where needed."""
        self.current = name
        result = self._known(name) or self._graded(name)
        if result is None:
            return
        if result.passed:
            self._verdict_known(name)
            return
        self._show(View(name, (), result, met=self._met(result)))

    def _verdict_known(self, name: str) -> None:
        following = self._first_open(after=name)
        if following is None or following == name:
            self.current = following
            self._show(View(following, (), still=name))
            return
        self._look_at(following)

    def _graded(self, name: str) -> ExerciseResult | None:
        """Grades one exercise and remembers it; None where the kit failed, which is shown."""
        self.screen.busy(name)
        submission = self.submission
        try:
            result = self._grade(submission, name)
        except GraderError as error:
            self._show(replace(self.view, message=error.text))
            return None
        self.statuses[name] = result.status
        self.results[name] = (work_digest(submission, name), result)
        self.sources[name] = source_digest(submission.files.get(name))
        self._see(result)
        self._note("run", run_data(submission, result, "watch"))
        return result

    def _known(self, name: str | None) -> ExerciseResult | None:
        """A verdict that still holds for the text that is there."""
        if name is None or name not in self.results:
            return None
        digest, result = self.results[name]
        return result if digest == work_digest(self.submission, name) else None

    def _met(self, result: ExerciseResult) -> Seen | None:
        """Where the first mistake was met before, in another exercise."""
        fault = next((f for d in result.diagnoses for f in d.faults), None)
        return None if fault is None else met_before(self._seen, fault.id, result.id, self.now() - 1)

    def _see(self, result: ExerciseResult) -> None:
        """Keeps in mind which mistakes were seen where; the journal is read once, it may be long."""
        known = {(s.fault, s.exercise) for s in self._seen}
        now = self.now()
        for fault in (f for d in result.diagnoses for f in d.faults):
            if (fault.id, result.id) not in known and fault.id not in NO_MISTAKE:
                self._seen.append(Seen(fault.id, fault.title, result.id, now, now, 1, True))

    # -- keys -----------------------------------------------------------------------------------

    def _next(self) -> None:
        name = self._first_open(after=self.current)
        if name is None:
            self._show(View(None, ()))
        else:
            self._look_at(name)

    def _hint(self) -> None:
        name = self.current
        result = self._known(name)
        if name is None or result is None:
            return
        if self.workspace is not None:
            self._given |= given_hints(self.workspace.events("hint", "run"))
        step = first_step(result.diagnoses)
        if step is not None:  # it stands under the verdict
            self._given[name, step] = max(1, self._given[name, step])
        found = answer(
            name, result.status, result.diagnoses, self.submission.files.get(name), self._given, result.note
        )
        if found.kind == "hint" and found.ladder is not None:
            self._given[name, found.ladder.key] = found.rung
            if self.workspace is not None:
                self._lost |= not remember(self.workspace, found)
        self._show(replace(self.view, hint=found, listed=False, message=None))

    def _list(self) -> None:
        self._show(replace(self.view, listed=not self.view.listed, hint=None, message=None))

    def _explain(self) -> None:
        result = self._known(self.current)
        faults = [f for d in result.diagnoses for f in d.faults] if result else []
        if result is None or not faults:
            words = Text("There is no diagnosed mistake to explain here.", "这里没有诊断出可讲解的错误。")
            self._show(replace(self.view, message=words, hint=None, listed=False))
            return
        if self._explained[0] != self._verdicts:
            self._explained = (self._verdicts, 0)
        number = self._explained[1]  # asked again, it is about the next mistake
        self._explained = (self._verdicts, number + 1)
        self.screen.explain(faults[number % len(faults)].id, result.id)
        self.redraw()

    def _trace(self) -> None:
        if self.current is not None:
            self.screen.trace(self.current)
            self.redraw()

    def _ask_reset(self) -> None:
        if self.current is None:
            return
        if self.workspace is None:
            words = Text(
                "Only a workspace can be reset: `grade init` makes this folder one.",
                "只有练习目录才能重置：请先在此运行 `grade init`。",
            )
            self._show(replace(self.view, message=words, hint=None, listed=False))
            return
        what = called(self.current, place_of(self.workspace, self.current))
        words = Text(
            f"Put {what.en} back to the skeleton? A backup is kept.  y: yes, any other key: no",
            f"把 {what.zh} 恢复成骨架吗？会保留备份。  y：是，其他键：否",
        )
        self._show(replace(self.view, question=words, hint=None, listed=False, message=None))

    def _answered(self, key: str) -> None:
        self.view = replace(self.view, question=None)
        if key not in ("y", "Y") or self.current is None or self.workspace is None:
            self._show(self.view)
            return
        try:
            done = reset_to_skeleton(self.workspace, self.current)
        except GraderError as error:
            self._show(replace(self.view, message=error.text))
            return
        self.submission = self._read()
        self.statuses[self.current] = None
        self._verdict(self.current)
        self._show(replace(self.view, message=done.words()))

    # -- what is known --------------------------------------------------------------------------

    def _remembered(self) -> None:
        """What the last run said of a text that has not changed since holds."""
        self.sources = {name: source_digest(file) for name, file in self.submission.files.items()}
        if self.workspace is None:
            return
        progress = progress_of(self.workspace.events(), module_names())
        self._seen = [s for m in progress.mistakes for s in m.seen]
        for standing in progress.standings:
            run = standing.last
            if run is not None and run.exercise in self.statuses:
                same = run.work == work_digest(self.submission, run.exercise)
                self.statuses[run.exercise] = run.status if same else None

    def _first_open(self, after: str | None = None) -> str | None:
        """The first exercise that is not passed; `after` one, going round."""
        start = self.chosen.index(after) + 1 if after in self.chosen else 0
        order = [*self.chosen[start:], *self.chosen[:start]]
        return next((name for name in order if self.statuses[name] != "passed"), None)

    def _depends(self, name: str, changed: Collection[str]) -> bool:
        """Whether an exercise stands on something that was saved: an earlier one, or a helper."""
        if any(module not in self.statuses for module in changed):
            return True
        direct = exercise(name).requires
        return any(module in changed or self._depends(module, changed) for module in direct)

    def _whole(self, names: Collection[str]) -> tuple[Collection[str], list[str]]:
        """Reads what was saved, once more after a moment where it is not whole; and which texts are new."""
        names = self._spelt(names)
        try:
            self.submission = self._read()
            changed = self._changed(names)
            if not any(self._half(name) for name in changed):
                return names, changed
        except SubmissionError:
            self.settle()
        else:
            names = self._spelt({*names, *self.settle()})
        self.submission = self._read()
        return names, self._changed(names)

    def _spelt(self, names: Collection[str]) -> set[str]:
        """The modules that were saved: a notebook may hold any of them."""
        return {*names, *(self.chosen if ANY in names else ())} - {ANY}

    def _changed(self, names: Collection[str]) -> list[str]:
        files = self.submission.files
        return [n for n in names if source_digest(files.get(n)) != self.sources.get(n, ABSENT)]

    def _half(self, name: str) -> bool:
        """Not there, empty, or broken: perhaps an editor that has not finished."""
        file = self.submission.files.get(name)
        return file is None or file.problem is not None

    def _read(self) -> Submission:
        return read_submission(self.folder, self.chosen, may_be_empty=True)

    def _note(self, kind: str, data: dict[str, object]) -> None:
        if self.workspace is not None:
            self._lost |= not self.workspace.record_all([(kind, data)])

    def _show(self, view: View) -> None:
        lost = self._lost or self.workspace is None
        self.view = replace(
            view,
            current=self.current,
            statuses=tuple(self.statuses.items()),
            now=self.now(),
            lost=lost,
            verdict=self._verdicts,
            whole=set(self.chosen) >= set(module_names()),
        )
        self.screen.show(self.view)
