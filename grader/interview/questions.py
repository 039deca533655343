"""What an interviewer asks next: ``questions.en.md`` and ``questions.zh.md`` of each exercise.

A question is a section: ``## id``, the question on one line, then (in the English file only) a line
``faults:`` with the mistakes after which it is asked first, as patterns of the shell, and paragraphs that
answer it.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from grader.errors import ExerciseError
from grader.exercises.registry import exercise
from grader.text import LANGUAGES, Text

__all__ = ["Question", "asked_after", "parse", "questions_of"]

ASKED = 5
FAULTS = "faults:"


@dataclass(frozen=True)
class Question:
    """faults: patterns of the mistakes after which it is asked first."""

    id: str
    question: Text
    answer: Text
    faults: tuple[str, ...] = ()


def parse(text: str) -> dict[str, tuple[str, str, tuple[str, ...]]]:
    """The sections of one file: id to question, answer and patterns."""
    found: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    for section in ("\n" + text).split("\n## ")[1:]:
        head, _, body = section.partition("\n")
        question, _, rest = body.strip().partition("\n")
        lines = rest.strip().split("\n")
        patterns: tuple[str, ...] = ()
        if lines[0].startswith(FAULTS):
            patterns = tuple(lines[0].removeprefix(FAULTS).split())
            lines = lines[1:]
        found[head.strip()] = (question.strip(), "\n".join(lines).strip(), patterns)
    return found


@functools.cache
def questions_of(identity: str) -> tuple[Question, ...]:
    """The questions about an exercise, in the order of the file; both languages joined."""
    folder = exercise(identity).folder
    tables = {}
    for language in LANGUAGES:
        path = folder / f"questions.{language}.md"
        tables[language] = parse(path.read_text(encoding="utf-8")) if path.exists() else {}
    if list(tables["en"]) != list(tables["zh"]):
        odd = ", ".join(sorted(tables["en"].keys() ^ tables["zh"].keys())) or "their order"
        raise ExerciseError(Text.same(f"the questions of {identity} differ between the languages: {odd}"))
    return tuple(
        Question(name, Text(question, tables["zh"][name][0]), Text(answer, tables["zh"][name][1]), patterns)
        for name, (question, answer, patterns) in tables["en"].items()
    )


def asked_after(identity: str, faults: Sequence[str], most: int = ASKED) -> tuple[Question, ...]:
    """The questions after an interview: those about the mistakes that were made first, then the others."""

    def place(question: Question) -> int:
        hits = [n for n, fault in enumerate(faults) if any(fnmatchcase(fault, p) for p in question.faults)]
        return min(hits, default=len(faults))

    return tuple(sorted(questions_of(identity), key=place)[:most])
