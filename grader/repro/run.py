"""From a submission to the smallest input that shows what is wrong with one exercise."""

from __future__ import annotations

import keyword
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from grader.diagnosis.faults import Fault
from grader.diagnosis.search import Searcher
from grader.exercises.registry import exercise, module_names
from grader.marking.case import Case as GradedCase
from grader.marking.cells import text_in_cells
from grader.marking.lab import Lab
from grader.marking.lanes import grade_in_lanes
from grader.marking.preparing import Preparation
from grader.marking.records import CheckResult, Diagnosis, ExerciseResult
from grader.marking.reference import reference
from grader.repro.examining import Examiner
from grader.repro.findings import Finding
from grader.repro.searching import acting, find, shows
from grader.repro.snippet import Subject, snippet
from grader.repro.words import why_not
from grader.submission.launcher import Launcher
from grader.submission.source import Submission
from grader.text import Text
from grader.threads import one_thread

__all__ = ["Reproduction", "reproduce"]


@dataclass(frozen=True)
class Reproduction:
    """outcome: ``found``, ``passed`` (nothing to reproduce), ``hidden`` (no single call shows it), or
    ``unusable`` (nothing could be run); text: the sentences for the user, where no program is found."""

    outcome: str
    finding: Finding | None = None
    subject: Subject | None = None
    text: Text = field(default=Text("", ""))

    @property
    def file(self) -> str:
        """The name of the learner's file."""
        return self.subject.file if self.subject is not None else ""

    @property
    def in_notebook(self) -> bool:
        """The program is for a cell, and not for a file beside the learner's."""
        return self.subject is not None and self.subject.module is None

    def program(self, language: str) -> str:
        """The snippet."""
        assert self.finding is not None
        assert self.subject is not None
        return snippet(self.finding, self.subject, language)


def reproduce(
    submission: Submission, identity: str, launcher: Launcher, budget: Mapping[str, float] | None = None
) -> Reproduction:
    """Grades the exercise, and where a check fails looks for the smallest input that shows why.

    The suite decides whether there is anything to look for: what it passes is never called wrong.
    """
    report = grade_in_lanes(submission, launcher, budget=budget, only=[identity], lanes=1)
    result = report.exercises[0]
    failed = [c for c in result.checks if c.outcome != "passed"]
    if result.status in ("error", "blocked"):
        return Reproduction("unusable", text=result.note or Text("", ""))
    if result.checks and not failed:
        return Reproduction("passed", text=text_in_cells(_all_right(result), submission.files))
    if result.status == "stopped":
        return Reproduction("hidden", text=_not_shown(result, failed))
    bench = _Bench(submission, identity, launcher, budget or {})
    with one_thread(), closing(bench):
        return _searched(bench, result, failed)


class _Bench:
    """Labs of one exercise: as it was handed in, and with the kit's own parts for earlier exercises."""

    def __init__(
        self, submission: Submission, identity: str, launcher: Launcher, budget: Mapping[str, float]
    ) -> None:
        self.submission = submission
        self.identity = identity
        self.launcher = launcher
        self.budget = budget
        self.file = submission.files[identity]
        self._cases: list[GradedCase] = []

    def lab(self, stand_ins: Collection[str] = ()) -> Lab | None:
        """None where nothing can be run."""
        case = GradedCase(exercise(self.identity), self.file)
        self._cases.append(case)
        Preparation(self.submission, self.launcher, self.budget, stand_ins=stand_ins).prepare(case)
        return case.lab

    def reference(self) -> Lab | None:
        """The same of the kit's own solution: what is said to be wrong must be right there."""
        files = {name: reference(name) for name in module_names()}
        case = GradedCase(exercise(self.identity), files[self.identity])
        self._cases.append(case)
        Preparation(Submission("", files, (self.identity,)), self.launcher, {}).prepare(case)
        return case.lab

    def earlier(self) -> list[str]:
        """The exercises that this one stands on, directly or not."""
        found: set[str] = set()
        waiting = [self.file]
        while waiting:
            for name in waiting.pop().imports(module_names()):
                if name not in found and name != self.identity and name in self.submission.files:
                    found.add(name)
                    waiting.append(self.submission.files[name])
        return [name for name in module_names() if name in found]

    def taken(self) -> frozenset[str]:
        """The names that the learner's notebook gives a value."""
        files = [f for f in self.submission.files.values() if f.places is not None]
        return frozenset(name for file in files for name in file.defined())

    def close(self) -> None:
        for case in self._cases:
            if case.client is not None:
                case.client.close()


def _searched(bench: _Bench, result: ExerciseResult, failed: Sequence[CheckResult]) -> Reproduction:
    lab, earlier = bench.lab(), bench.earlier()
    if lab is None:
        return Reproduction("hidden", text=_not_shown(result, failed))
    tiers = {c.tier for c in failed}
    sure = next((d for d in result.diagnoses if d.tier == "core" and d.confidence == "confirmed"), None)
    faults = _faults(lab) if sure is not None else ()
    alone = bench.lab(earlier) if earlier else None
    core, edge = "core" in tiers, "edge" in tiers
    finding = find(lab, faults, core=core, edge=edge, alone=alone, reference=bench.reference())
    small = lab.room.small
    if finding is None or small is None:
        return Reproduction("hidden", text=_not_shown(result, failed))
    target = finding.case.probe.target
    whose = _whose(bench, finding, earlier) if alone is not None else ()
    mistake = None
    if finding.case.edge:
        mistake = _mistake(result.diagnoses, "edge")
    elif not whose and shows(lab, faults, finding):
        mistake = _mistake(result.diagnoses, "core", acting(faults, finding, lab.model(target)))
    in_notebook = bench.file.places is not None
    subject = Subject(
        exercise=bench.identity,
        module=None if in_notebook else _module_name(bench.file.name, bench.identity),
        file=bench.file.place(None)[0] or bench.file.name,
        model=lab.model(target),
        outputs=lab.outputs,
        meaning=small.meaning,
        mistake=mistake,
        allowance=Examiner(lab, small).allowance(finding),
        earlier=whose,
        taken=bench.taken() if in_notebook else frozenset(),
    )
    return Reproduction("found", finding, subject)


def _whose(bench: _Bench, finding: Finding, earlier: Sequence[str]) -> tuple[str, ...]:
    """The earlier exercises whose mistakes the finding shows: with the kit's own part it is gone."""
    found: list[str] = []
    for names in [[name] for name in earlier] + [list(earlier)]:
        lab = bench.lab(names)
        if lab is None or lab.room.small is None or (found and len(names) > 1):
            continue
        seen = Examiner(lab, lab.room.small).examine(finding.case)
        if seen is None or seen.kind != finding.kind:
            found += names
    return tuple(found)


def _faults(lab: Lab) -> tuple[Fault, ...]:
    """The mistakes that explain what the exercise's own calls show, for every function and class."""
    found: list[Fault] = []
    for target, model in lab.room.models.items():
        probes = [p for p in lab.room.probes if p.target == target and p.tier == "core"]
        seen = [(p, lab.observe(p)) for p in probes if not lab.client.exhausted]
        explanation = Searcher(model, lab.room.catalogue, seen).explain(known=[f.id for f in found])
        if explanation is not None:
            found += explanation.faults
    return tuple(found)


def _mistake(diagnoses: Sequence[Diagnosis], tier: str, ids: Collection[str] = ()) -> Text | None:
    """What the diagnosis says, with the place of each mistake; of those in `ids` where it names them."""
    one = next((d for d in diagnoses if d.tier == tier and d.confidence == "confirmed" and d.faults), None)
    if one is None:
        return None
    parts = []
    for fault in [f for f in one.faults if f.id in ids] or one.faults:
        spot = f"{fault.file}:{fault.line}" if fault.file and fault.line else ""
        parts.append(fault.title + Text(f" ({spot})", f"（{spot}）") if spot else fault.title)
    return Text.join(parts, "; ", "；")


def _module_name(file: str, identity: str) -> str:
    stem = Path(file).stem
    return stem if stem.isidentifier() and not keyword.iskeyword(stem) else identity


def _all_right(result: ExerciseResult) -> Text:
    text = Text(
        f"nothing to reproduce: {result.id} passes every check",
        f"没有可重现的问题：{result.id} 通过了全部检查",
    )
    if not result.carried_forward_from:
        return text
    names = result.carried_forward_from
    return text + Text(
        f", given your {_files(names)}; try `grade repro {names[0]}`",
        f"（以你的 {_files(names)} 为前提）；请试试 `grade repro {names[0]}`",
    )


def _files(names: Sequence[str]) -> str:
    return ", ".join(f"{name}.py" for name in names)


def _not_shown(result: ExerciseResult, failed: Sequence[CheckResult]) -> Text:
    """Which checks fail, what they say, and why no single call shows it."""
    if result.status == "incomplete" and result.note is not None:
        return Text(f"nothing to run yet: {result.note.en}", f"还没有可运行的内容：{result.note.zh}")
    text = Text(
        f"{result.id} fails a check that a snippet cannot show in one call:",
        f"{result.id} 未通过的检查无法用一次调用的代码片段展示：",
    )
    for check in failed[:3]:
        why = why_not(check.fault)
        said = Text("\n    ", "\n    ") + check.message if check.message is not None else Text("", "")
        text += Text("\n  ", "\n  ") + check.title + said + Text(f"\n    ({why.en})", f"\n    （{why.zh}）")
    if len(failed) > 3:
        rest = len(failed) - 3
        text += Text(
            f"\n  and {rest} more; see `grade run {result.id}`",
            f"\n  另有 {rest} 项；见 `grade run {result.id}`",
        )
    return text
