"""Draws the pictures of a report: runs the small examples of each exercise through the wall."""

from __future__ import annotations

from collections.abc import Mapping

from grader.exercises.registry import exercise, load_scenes
from grader.marking.case import Case
from grader.marking.preparing import Preparation
from grader.marking.records import ExerciseResult, Report
from grader.marking.viewing import pictures_of
from grader.pictures.ranges import ranges_of
from grader.pictures.records import Picture, Pictures, RangeLine
from grader.submission.launcher import Launcher
from grader.submission.source import Submission
from grader.threads import one_thread

__all__ = ["draw", "sources_of"]


@one_thread()
def draw(
    submission: Submission,
    launcher: Launcher,
    report: Report,
    budget: Mapping[str, float] | None = None,
    *,
    with_reference: bool = False,
) -> Pictures:
    """Maps of every exercise of the report that could be run, and the sources of what was handed in."""
    preparation = Preparation(submission, launcher, budget or {}, with_reference=with_reference)
    maps: dict[str, tuple[Picture, ...]] = {}
    ranges: dict[str, tuple[RangeLine, ...]] = {}
    for result in report.exercises:
        if _ran(result):
            maps[result.id] = _maps(preparation, submission, result)
            ranges[result.id] = ranges_of(submission, result, launcher, budget)
    return Pictures(maps, ranges, sources_of(submission))


def sources_of(submission: Submission) -> dict[str, str]:
    """The text of each file that was handed in (or of each cell), by the name that reports give it."""
    found: dict[str, dict[int, str]] = {}
    for file in submission.files.values():
        for number, words in enumerate(file.text.splitlines(), 1):
            name, line = file.place(number)
            if name is not None and line is not None:
                found.setdefault(name, {})[line] = words
    return {
        name: "\n".join(lines.get(n, "") for n in range(1, max(lines) + 1)) for name, lines in found.items()
    }


def _ran(result: ExerciseResult) -> bool:
    """What had to be stopped would have to be stopped again."""
    return result.status in ("passed", "failed", "incomplete") and any(
        c.outcome != "skipped" for c in result.checks
    )


def _maps(preparation: Preparation, submission: Submission, result: ExerciseResult) -> tuple[Picture, ...]:
    case = Case(exercise(result.id), submission.files.get(result.id))
    try:
        preparation.prepare(case)
        if case.lab is None:
            return ()
        found: list[Picture] = []
        for scene in load_scenes(result.id):
            found += pictures_of(case.lab, scene)
            if case.lab.client.stops:  # not again and again
                break
        return tuple(found)
    finally:
        if case.client is not None:
            case.client.close()
