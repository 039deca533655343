"""Says where things are in the notebook: the marking knows the lines of the modules made of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from grader.marking.records import CheckResult, Diagnosis, ExerciseResult, NamedFault, Report
from grader.submission.files import SourceFile
from grader.submission.places import Places
from grader.submission.source import Submission
from grader.text import Text

__all__ = ["in_cells", "text_in_cells"]


def in_cells(report: Report, submission: Submission) -> Report:
    """The report with ``work.ipynb[cell 3]`` and the line of the cell, wherever it names a module that
    was put together from a notebook; and with what of the notebook was left out."""
    naming = _Naming(submission.files.values())
    if not naming.places and not submission.notes:
        return report
    exercises = tuple(naming.exercise(e) for e in report.exercises)
    return replace(report, exercises=exercises, notes=submission.notes)


def text_in_cells(text: Text, files: Mapping[str, SourceFile]) -> Text:
    """The same for one sentence."""
    return _Naming(files.values()).text(text)


@dataclass(frozen=True, init=False)
class _Naming:
    places: Mapping[str, Places]
    pattern: re.Pattern[str]

    def __init__(self, files: Iterable[SourceFile]) -> None:
        places = {f.name: f.places for f in files if f.places is not None}
        names = "|".join(map(re.escape, places)) or r"(?!)"
        object.__setattr__(self, "places", places)
        object.__setattr__(
            self, "pattern", re.compile(rf"(?<![\w./\\-])({names})(?::(\d{{1,9}}))?(?!\w)( ?)")
        )

    def exercise(self, result: ExerciseResult) -> ExerciseResult:
        return replace(
            result,
            checks=tuple(self.check(c) for c in result.checks),
            diagnoses=tuple(self.diagnosis(d) for d in result.diagnoses),
            note=None if result.note is None else self.text(result.note),
            in_notebook=any(f"{n}.py" in self.places for n in (result.id, *result.carried_forward_from)),
        )

    def check(self, check: CheckResult) -> CheckResult:
        file, line = self.place(check.file, check.line)
        message = None if check.message is None else self.text(check.message)
        return replace(check, file=file, line=line, message=message)

    def diagnosis(self, diagnosis: Diagnosis) -> Diagnosis:
        faults = tuple(self.fault(f) for f in diagnosis.faults)
        return replace(diagnosis, faults=faults, evidence=self.text(diagnosis.evidence))

    def fault(self, fault: NamedFault) -> NamedFault:
        file, line = self.place(fault.file, fault.line)
        return replace(
            fault,
            file=file,
            line=line,
            title=self.text(fault.title),
            explanation=self.text(fault.explanation),
            hints=tuple(map(self.text, fault.hints)),
        )

    def place(self, file: str | None, line: int | None) -> tuple[str | None, int | None]:
        if file is None or file not in self.places:
            return file, line
        return self.places[file].of(line)

    def text(self, text: Text) -> Text:
        def named(found: re.Match[str], language: str) -> str:
            places = self.places[found[1]]
            if found[2]:
                return places.words(int(found[2])) + found[3]
            whole = places.whole.in_(language)
            return whole if whole.endswith("）") else whole + found[3]  # which is wide enough

        return Text(
            self.pattern.sub(lambda found: named(found, "en"), text.en),
            self.pattern.sub(lambda found: named(found, "zh"), text.zh),
        )
