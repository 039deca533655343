"""Where the files of a submission are, as other tools want to read it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from grader.marking.records import CheckResult, ExerciseResult
from grader.reports.cleaning import clean_line

__all__ = ["for_tools", "place_of_check", "place_of_exercise", "relative_to"]

CELL = re.compile(r"(.+\.ipynb)\[.+\]")


def relative_to(folder: Path, root: Path) -> str:
    """How `folder` is reached from `root`, with slashes; empty where it is the same, or lies outside."""
    try:
        inside = Path(os.path.relpath(folder.absolute(), root.absolute()))
    except ValueError:  # another drive
        return ""
    words = inside.as_posix()
    return "" if words == "." or words.startswith("..") else words


def for_tools(file: str | None, line: int | None, prefix: str = "") -> tuple[str | None, int | None]:
    """A path and a line that another program finds: of a cell the notebook, whose lines are others."""
    if not file:
        return None, None
    cell = CELL.fullmatch(file)
    name, number = (cell[1], None) if cell else (file, line)
    return clean_line(f"{prefix}/{name}" if prefix else name, 400), number


def place_of_check(check: CheckResult, result: ExerciseResult) -> tuple[str | None, int | None]:
    """The file and line of a check that failed: its own, else those of the mistake that explains it."""
    if check.file is not None:
        return clean_line(check.file, 200), check.line
    for diagnosis in result.diagnoses:
        for fault in diagnosis.faults:
            if diagnosis.tier == check.tier and fault.file is not None:
                return clean_line(fault.file, 200), fault.line
    return place_of_exercise(result)


def place_of_exercise(result: ExerciseResult) -> tuple[str | None, int | None]:
    """The first place that a diagnosis names."""
    for diagnosis in result.diagnoses:
        for fault in diagnosis.faults:
            if fault.file is not None:
                return clean_line(fault.file, 200), fault.line
    return None, None
