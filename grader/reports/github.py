"""What GitHub Actions reads on the output of a step: annotations of lines, and how to keep it from
reading commands in what a submission prints.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections.abc import Iterator

from grader.marking.records import Diagnosis, ExerciseResult, NamedFault, Report
from grader.reports.cleaning import clean_line
from grader.reports.places import for_tools, place_of_check
from grader.reports.words import STATUS
from grader.text import Text

__all__ = ["annotation_lines", "resume_commands", "stop_commands"]

MOST = 10  # of a kind that GitHub shows for one step
LONGEST = 1000


def annotation_lines(report: Report, language: str, prefix: str = "") -> list[str]:
    """A line of output for each mistake that was found: errors, and warnings for what only costs points.

    `prefix`: the folder of the learner's files, as seen from the root of the repository.
    """
    found: dict[str, list[str]] = {"error": [], "warning": []}
    for result in report.exercises:
        for level, title, message, file, line in _told(result, language):
            found[level].append(_command(level, title, message, file, line, prefix))
    return found["error"][:MOST] + found["warning"][:MOST]


def stop_commands(token: str) -> str:
    """What is printed after this is no command, whatever it says, up to `resume_commands`."""
    return f"::stop-commands::{token}"


def resume_commands(token: str) -> str:
    """Ends what `stop_commands` began."""
    return f"::{token}::"


Told = tuple[str, str, str, str | None, int | None]


def _told(result: ExerciseResult, language: str) -> Iterator[Told]:
    named = [(d, f) for d in result.diagnoses for f in d.faults]
    for diagnosis, fault in named:
        level = "error" if diagnosis.tier == "core" and not result.passed else "warning"
        yield (
            level,
            fault.title.in_(language),
            _why(fault, diagnosis, result, language),
            fault.file,
            fault.line,
        )
    tiers = {d.tier for d, _ in named}
    failed = [c for c in result.checks if c.outcome == "failed" and c.tier not in tiers]
    if any(c.tier == "core" and c.outcome == "failed" for c in result.checks):
        failed = [c for c in failed if c.tier == "core"]  # the edges come later
    for check in failed[:1]:  # what no known mistake explains: the first check says enough
        level = "error" if check.tier == "core" else "warning"
        words = check.message.in_(language) if check.message is not None else ""
        title = f"{result.id}: {check.title.in_(language)}"
        file, line = place_of_check(check, result)
        yield level, title, words or title, file or f"{result.id}.py", line
    if not result.passed and not named and not failed:
        status = STATUS.get(result.status, Text.same(result.status)).in_(language)
        words = result.note.in_(language) if result.note is not None else status
        yield "error", f"{result.id}: {status}", words, f"{result.id}.py", None


def _why(fault: NamedFault, diagnosis: Diagnosis, result: ExerciseResult, language: str) -> str:
    """What the mistake does; of an exception, first what was raised."""
    words = fault.explanation.in_(language) or fault.title.in_(language)
    if fault.id.startswith("raises-"):
        words = f"{diagnosis.evidence.in_(language)}. {words}"
    return f"{result.id}: {words}"


def _command(level: str, title: str, message: str, file: str | None, line: int | None, prefix: str) -> str:
    properties = []
    path, number = for_tools(file, line, prefix)
    if path is not None:
        properties.append(f"file={_property(path)}")
        if number is not None:
            properties.append(f"line={number}")
        elif file is not None and line is not None:  # a cell of a notebook
            message = f"{file}:{line}: {message}"
    properties.append(f"title={_property(clean_line(title, 200))}")
    return f"::{level} {','.join(properties)}::{_data(clean_line(message, LONGEST))}"


def _data(words: str) -> str:
    return words.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(words: str) -> str:
    return _data(words).replace(":", "%3A").replace(",", "%2C")
