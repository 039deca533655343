"""The page of one report: verdicts, diagnoses with the learner's lines, checks, pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jinja2 import Template

from grader.marking.records import CheckResult, Diagnosis, ExerciseResult, Report
from grader.pictures.records import NO_PICTURES, Picture, Pictures
from grader.reports.cleaning import excerpt
from grader.reports.holding import holding_text
from grader.reports.html.environment import page_environment
from grader.reports.html.heat import NAMES, Heat, heat
from grader.reports.html.ranges import RangeBar, bars
from grader.reports.html.source import SourceLine, around
from grader.text import Text

__all__ = ["render_report_page"]

MOST_PRINTED = 200


def render_report_page(
    report: Report,
    pictures: Pictures | None,
    language: str,
    *,
    template: Template | None = None,
    **more: object,
) -> str:
    """The whole page as text, complete in itself.  Without `pictures` it has no maps and no source.

    template: one that extends the report's, and shows `more` besides.
    """
    there = pictures or NO_PICTURES
    template = template or page_environment(language).get_template("report.html.j2")
    return template.render(
        **more,
        report=report,
        parts_of=[_view(result, there) for result in report.exercises],
        names=NAMES,
        memory=holding_text(report.exercises),
        done=sum(e.passed for e in report.exercises),
    )


# -- what the template shows of one exercise --------------------------------------------------------


@dataclass(frozen=True)
class _Explained:
    """A diagnosis with the learner's lines that it names; said: its evidence, unless said elsewhere."""

    diagnosis: Diagnosis
    excerpts: tuple[tuple[str, tuple[SourceLine, ...]], ...]
    evidence: Text | None


@dataclass(frozen=True)
class _Scene:
    title: Text
    heats: tuple[Heat, ...]

    @property
    def differs(self) -> bool:
        return any(h.differs or h.picture.why_not is not None for h in self.heats)


@dataclass(frozen=True)
class _View:
    result: ExerciseResult
    explained: tuple[_Explained, ...]
    scenes: tuple[_Scene, ...]
    bars: tuple[RangeBar, ...]
    printed: str
    left_out: int

    @property
    def checks(self) -> Sequence[CheckResult]:
        """Those that failed first, the heaviest of them before the others."""
        order = {"failed": 0, "skipped": 1, "passed": 2}
        return sorted(self.result.checks, key=lambda c: (order.get(c.outcome, 1), c.tier != "core"))

    @property
    def passed(self) -> int:
        return sum(c.outcome == "passed" for c in self.result.checks)


def _view(result: ExerciseResult, pictures: Pictures) -> _View:
    shown, left = excerpt(result.printed, MOST_PRINTED)
    return _View(
        result,
        tuple(_explained(d, result, pictures) for d in result.diagnoses),
        _scenes(pictures.maps.get(result.id, ())),
        tuple(bars(pictures.ranges.get(result.id, ()))),
        "\n".join(shown).strip(),
        left,
    )


def _explained(diagnosis: Diagnosis, result: ExerciseResult, pictures: Pictures) -> _Explained:
    places: dict[str, set[int]] = {}
    for fault in diagnosis.faults:
        if fault.file is not None and fault.line is not None:
            places.setdefault(fault.file, set()).add(fault.line)
    excerpts = tuple(
        (file, lines)
        for file, numbers in places.items()
        if (lines := tuple(around(pictures.sources.get(file, ""), numbers)))
    )
    repeated = diagnosis.evidence == result.note or any(
        c.message == diagnosis.evidence for c in result.checks
    )
    return _Explained(diagnosis, excerpts, None if repeated else diagnosis.evidence)


def _scenes(pictures: Sequence[Picture]) -> tuple[_Scene, ...]:
    scenes: dict[Text, list[Heat]] = {}
    for picture in pictures:
        scenes.setdefault(picture.scene, []).append(heat(picture))
    return tuple(_Scene(title, tuple(found)) for title, found in scenes.items())
