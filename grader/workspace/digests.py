"""Fingerprints of what was graded: the same text need not be graded again, nor counted as an attempt."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import grader
from grader.exercises.registry import exercise, module_names
from grader.submission.files import SourceFile
from grader.submission.source import Submission

__all__ = ["ABSENT", "source_digest", "work_digest"]

ABSENT = "absent"


def source_digest(file: SourceFile | None) -> str:
    """Of one file alone."""
    if file is None:
        return ABSENT
    trouble = file.problem.text.en if file.problem is not None else ""
    return _digest((file.text, trouble))


def work_digest(submission: Submission, name: str) -> str:
    """Of an exercise with everything that its verdict depends on: what it builds on, and helper files."""
    exercises = set(module_names())
    wanted = {name, *_builds_on(name)} | (submission.files.keys() - exercises)
    words = [f"{grader.__version__}"]
    for module in sorted(wanted):
        words += [module, source_digest(submission.files.get(module))]
    return _digest(words)


def _builds_on(name: str) -> set[str]:
    found: set[str] = set()
    for earlier in exercise(name).requires:
        found |= {earlier, *_builds_on(earlier)}
    return found


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:20]
