"""Error carried forward: a later exercise is marked on top of the learner's own earlier parts.

A multi-head attention on an attention without its scale is right if it is right given that attention.
So an exercise that loses points, and that uses an earlier one which does too, is marked again against a
model assembled from the learner's parts; the better result counts.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from grader.diagnosis.matching import match
from grader.exercises.registry import exercise, load_room, module_names
from grader.marking.earlier import with_earlier_mistakes
from grader.marking.known import FINAL, JUDGED, PLAIN, Known
from grader.marking.lab import Lab
from grader.marking.memo import memo_of
from grader.marking.parts import Part
from grader.marking.preparing import Preparation
from grader.marking.records import CheckResult, ExerciseResult
from grader.marking.run import Marked, grade, opened
from grader.marking.standing import Standing
from grader.submission.client import Client
from grader.submission.files import SourceFile
from grader.submission.launcher import Launcher
from grader.submission.observation import ErrorInfo
from grader.submission.source import Submission
from grader.text import Text

__all__ = ["carry_forward", "imported_names"]

SHARE = 0.3  # of its time
ROUNDED = 1e-3  # points, by which a sum may be less than that of what it is the sum of
OF_ORDER = (
    "global-state-changed",
    "nondeterministic",
    "uninitialised-memory",
    "result-kept-between-calls",
    "mask-kept-between-calls",
    "table-overwritten",
    "timeout",
    "out-of-memory",
    "crash",
)


def carry_forward(
    submission: Submission,
    launcher: Launcher,
    results: Sequence[ExerciseResult],
    budget: Mapping[str, float] | None = None,
    *,
    with_reference: bool = False,
    postponed: Mapping[str, Marked] | None = None,
    known: Known | None = None,
    shared: bool = False,
) -> tuple[ExerciseResult, ...]:
    """The results, with those marked again that lose points and stand on a part which does too; where
    that does not help, a note says on which.

    with_reference: where a part ends every call in an error, the kit's own stands in for it; postponed:
    whose results lack the diagnosis so far, see `grade`; known: keeps what earlier exercises gave that were
    not asked for, from one submission to the next; shared: and what becomes of each on top of them.
    """
    carrying = _Carrying(
        submission, launcher, results, budget or {}, with_reference, postponed or {}, known, shared
    )
    try:
        return carrying.results()
    finally:
        carrying.close()


class _Carrying:
    def __init__(
        self,
        submission: Submission,
        launcher: Launcher,
        results: Sequence[ExerciseResult],
        budget: Mapping[str, float],
        with_reference: bool,
        postponed: Mapping[str, Marked],
        known: Known | None,
        shared: bool,
    ) -> None:
        self.submission = submission
        self.launcher = launcher
        self.budget = budget
        self.with_reference = with_reference
        self.given = results
        self.plain = {r.id: r for r in results}
        self.final: dict[str, ExerciseResult] = {}
        self.postponed = postponed
        self.known = known or Known()
        self.finals = self.known if shared else Known(0)
        self.preparation = Preparation(submission, launcher, self.budget)
        self.workers: dict[tuple[str, int], Client] = {}

    def results(self) -> tuple[ExerciseResult, ...]:
        found = [self._final(r.id) for r in self.given]
        failed = {name for name, result in self.plain.items() if result.status in ("failed", "stopped")}
        return with_earlier_mistakes(found, self.submission, failed)

    def _final(self, name: str) -> ExerciseResult:
        """The result on top of what the exercise stands on (which is never a later one)."""
        if name not in self.final:
            plain = self._plain(name)
            self.final[name] = plain  # should files import each other
            if _loses(plain):
                kind = FINAL, self.with_reference
                found = self.finals.find(name, self.submission, kind)
                self.final[name] = found or self._again(name) or self._diagnosed(name)
                self.finals.keep(name, self.submission, kind, self.final[name])
        return self.final[name]

    def _again(self, name: str) -> ExerciseResult | None:
        """What counts in place of the plain result, if anything does."""
        result, file = self.plain[name], self.submission.files.get(name)
        room = load_room(name)
        if result.status not in JUDGED or file is None or room.carry is None:
            return None
        wrong = {n: used for n, used in imported_names(file).items() if self._is_wrong(n, used)}
        if not wrong:
            return None
        parts = self._parts(wrong)
        if not parts:
            return None
        ways = [Standing(room, r) for r in room.carry(room, parts)]
        errors = [way.raised() for way in ways]
        if errors and all(errors):
            if self.with_reference:
                return self._marked(name, stand_ins=self._roots(errors, wrong))
            return _blocked(result, list(wrong), errors[0])
        best = self._best(name, [way for way, error in zip(ways, errors) if error is None])
        if best is None or not _is_better(best, result) or not self._can_be_stood_on(parts):
            return None
        return replace(best, carried_forward_from=self._origins(wrong))

    def _best(self, name: str, ways: Sequence[Standing]) -> ExerciseResult | None:
        """The best of what the exercise gives in these ways, if any is not worse than the plain result."""
        plain = self.plain[name]
        marked = self.postponed.get(name) or opened(
            self.submission, self.launcher, name, self.budget, with_reference=self.with_reference
        )
        if marked is None:
            return None
        try:
            first = _first_checks(plain)
            again = [
                (one, way, one.result(diagnosed=False))
                for way in ways
                if (one := marked.again(way.room, way.memo, first, partial(_is_worse, plain))) is not None
            ]
            best: list[tuple[Marked, ExerciseResult]] = []
            for one, way, result in sorted(again, key=lambda found: _marks(found[2]), reverse=True):
                if best and _marks(result) < _marks(best[0][1]):
                    break
                if way.still_tells():
                    best.append((one, result))
            return max((one.result() for one, _ in best), key=_is_explained, default=None)
        finally:
            if name not in self.postponed:
                marked.close()

    def _diagnosed(self, name: str) -> ExerciseResult:
        """The plain result, with its diagnosis."""
        if name in self.postponed:
            self.plain[name] = self.postponed[name].result()
        return self.plain[name]

    def _can_be_stood_on(self, parts: Mapping[str, Part]) -> bool:
        """Whether the parts, in all that was marked on top of them, were functions, and said something."""
        return all(
            part.can_be_stood_on(self._worker(part.client.module, 1))
            for part in {id(p): p for p in parts.values()}.values()
        )

    def _worker(self, name: str, number: int) -> Client:
        """One of two workers of an earlier exercise: a part is called in the first, and checked by what it
        says in the second.  One that was stopped, or has used up much of its time, is followed by another."""
        key = name, number
        client = self.workers.get(key)
        if client is not None and (client.stops or client.spent > client.budget.total * SHARE):
            client.close()
            client = None
        if client is None:
            client = self.workers[key] = self.preparation.client(exercise(name))
        return client

    def close(self) -> None:
        """Ends the workers of the parts."""
        for client in self.workers.values():
            client.close()

    def _marked(self, name: str, **options: Any) -> ExerciseResult:
        one = replace(self.submission, chosen=(name,))
        report = grade(one, self.launcher, budget=self.budget, with_reference=self.with_reference, **options)
        return report.exercises[0]

    def _roots(self, errors: Sequence[ErrorInfo | None], wrong: Mapping[str, Sequence[str]]) -> list[str]:
        """The exercises in whose files the errors arise; else those that are imported."""
        places = {e.where.file for e in errors if e is not None and e.where is not None}
        return [n for n in module_names() if f"{n}.py" in places] or list(wrong)

    # -- the earlier parts ----------------------------------------------------------------------

    def _is_wrong(self, name: str, used: Sequence[str]) -> bool:
        """Whether the earlier exercise runs, and loses points on one of the names that are used."""
        result = self._plain(name)
        return result.status in JUDGED and any(
            c.outcome == "failed" and (c.target is None or c.target in used) for c in result.checks
        )

    def _plain(self, name: str) -> ExerciseResult:
        """The result of an earlier exercise, which is marked now where it was not asked for."""
        if name not in self.plain:
            self.plain[name] = self.known.plain(
                name, self.submission, (PLAIN, self.with_reference), lambda: self._marked(name)
            )
        return self.plain[name]

    def _origins(self, wrong: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
        """Where the mistakes that are carried were made: in these parts, or in what they stand on."""
        found: set[str] = set()
        for name in wrong:
            result = self._final(name)
            found |= set(result.carried_forward_from)
            if _loses(result) or not result.carried_forward_from:
                found.add(name)
        return tuple(n for n in module_names() if n in found)

    def _parts(self, wrong: Mapping[str, Sequence[str]]) -> dict[str, Part]:
        """The parts that are used, each exercise in a worker of its own; none where one has other names."""
        parts: dict[str, Part] = {}
        for name, used in wrong.items():
            client = self._worker(name, 0)
            if not client.load().ok:
                continue
            lab = Lab(load_room(name), client, memo=memo_of(name))
            for target in used:
                if _has_its_names(lab, target):
                    parts[target] = Part(client, target, lab.model(target).inputs)
        return parts


def imported_names(file: SourceFile) -> dict[str, list[str]]:
    """Which entry points of which earlier exercises a file uses."""
    found: dict[str, list[str]] = {}
    if file.tree is None:
        return found
    modules = {
        name: {e.name for e in exercise(name).entries} for name in module_names() if name != file.module
    }
    for node in ast.walk(file.tree):
        if isinstance(node, ast.ImportFrom) and node.module in modules and not node.level:
            names = {a.name for a in node.names}
            entries = modules[node.module]
            chosen = entries if "*" in names else entries & names
            found.setdefault(node.module, []).extend(sorted(chosen - set(found.get(node.module, ()))))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in modules:
                    used = _attributes(file.tree, alias.asname or alias.name) & modules[alias.name]
                    found.setdefault(alias.name, []).extend(sorted(used - set(found.get(alias.name, ()))))
    return {name: used for name, used in found.items() if used}


def _attributes(tree: ast.AST, name: str) -> set[str]:
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
    }


def _loses(result: ExerciseResult) -> bool:
    return any(c.outcome != "passed" for c in result.checks)


def _marks(result: ExerciseResult) -> tuple[bool, float]:
    return result.status == "passed", result.score


def _is_better(carried: ExerciseResult, plain: ExerciseResult) -> bool:
    """Whether to take what an exercise gives on top of the parts: for a tie, where it is explained there.

    What explains the plain result may be the mistake of the part.
    """
    marks, others = _marks(carried), _marks(plain)
    return marks > others or (marks == others and _is_explained(carried))


def _is_worse(plain: ExerciseResult, so_far: Sequence[CheckResult]) -> bool:
    """Whether an exercise of which these checks have run can no longer get what the plain result has."""
    lost = sum(c.max_points - c.points for c in so_far)
    core = any(c.tier == "core" and c.outcome != "passed" for c in so_far)
    best = not core, plain.max_score - lost + ROUNDED
    return best < _marks(plain)


def _first_checks(plain: ExerciseResult) -> frozenset[str]:
    """The checks with which to begin, since they decide most: those that are lost.  Where what is lost may
    depend on what was called before, and where words are printed, the suite's own order stays."""
    if plain.printed or any(c.fault in OF_ORDER for c in plain.checks):
        return frozenset()
    return frozenset(c.id for c in plain.checks if c.outcome != "passed")


def _is_explained(result: ExerciseResult) -> bool:
    return not result.diagnoses or result.diagnoses[0].confidence == "confirmed"


def _has_its_names(lab: Lab, target: str) -> bool:
    """Whether a part's parameters have the names and shapes that a model can set."""
    for probe in lab.room.probes:
        if probe.target == target and probe.args is None and probe.tier == "core" and not probe.values:
            return match(lab.right(probe), lab.observe(probe), probe) is not None
    return True


def _blocked(result: ExerciseResult, names: Sequence[str], error: ErrorInfo | None) -> ExerciseResult:
    files = ", ".join(f"{n}.py" for n in names)
    where = error.where if error is not None else None
    spot = f" ({error.type}, {where.file}:{where.line})" if error is not None and where is not None else ""
    note = Text(
        f"needs {files}, where even a plain call ends in an error{spot}; put that right first",
        f"需要 {files}，但其中最普通的调用也会报错{spot}；请先改正",
    )
    return replace(result, status="blocked", note=note, diagnoses=(), leak=None)
