"""Reads the texts of faults: ``text.en.md`` and ``text.zh.md`` of each exercise.

A fault is a section: ``## id``, one line of title, paragraphs of explanation, and a list of hints
(``- ``), from a question to the line.  ``common/`` holds the faults that any exercise may have.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.errors import ExerciseError
from grader.text import LANGUAGES, Text

__all__ = ["FaultText", "fault_text", "fault_texts", "parse"]

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class FaultText:
    """title: one line; explanation: why it is wrong; hints: the ladder."""

    title: Text
    explanation: Text
    hints: tuple[Text, ...]

    def with_numbers(self, numbers: Mapping[str, str]) -> FaultText:
        """The texts with the fitted numbers in place of ``{name}``; other braces stay."""

        def fill(text: Text) -> Text:
            en, zh = text.en, text.zh
            for name, value in numbers.items():
                en, zh = en.replace(f"{{{name}}}", value), zh.replace(f"{{{name}}}", value)
            return Text(en, zh)

        return FaultText(fill(self.title), fill(self.explanation), tuple(map(fill, self.hints)))


def parse(text: str) -> dict[str, tuple[str, str, tuple[str, ...]]]:
    """The sections of one file: id to title, explanation and hints."""
    found: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    for section in ("\n" + text).split("\n## ")[1:]:
        head, _, body = section.partition("\n")
        lines = [line.rstrip() for line in body.strip().splitlines()]
        hints: list[str] = []
        paragraphs: list[str] = []
        for line in lines[1:]:
            if line.startswith("- "):
                hints.append(line[2:].strip())
            elif hints and line.startswith("  "):
                hints[-1] += " " + line.strip()
            else:
                paragraphs.append(line)
        explanation = "\n".join(paragraphs).strip()
        joined = "\n\n".join(p.replace("\n", " ") for p in explanation.split("\n\n"))
        found[head.strip()] = (lines[0] if lines else "", joined, tuple(hints))
    return found


@functools.cache
def fault_texts(exercise: str) -> dict[str, FaultText]:
    """The texts of one exercise (or ``common``), both languages joined."""
    tables = {}
    for language in LANGUAGES:
        path = FOLDER / exercise / f"text.{language}.md"
        tables[language] = parse(path.read_text(encoding="utf-8")) if path.exists() else {}
    if tables["en"].keys() != tables["zh"].keys():
        odd = ", ".join(sorted(tables["en"].keys() ^ tables["zh"].keys()))
        raise ExerciseError(Text.same(f"texts of {exercise} in one language only: {odd}"))
    joined = {}
    for name, (title, explanation, hints) in tables["en"].items():
        other = tables["zh"][name]
        if len(hints) != len(other[2]):
            raise ExerciseError(Text.same(f"{exercise}: {name} has hints of unequal number"))
        joined[name] = FaultText(
            Text(title, other[0]),
            Text(explanation, other[1]),
            tuple(Text(a, b) for a, b in zip(hints, other[2])),
        )
    return joined


def fault_text(exercise: str, fault: str) -> FaultText:
    """The texts of a fault; a fault without texts is shown by its id (`grade verify` rejects that)."""
    for place in (exercise, "common"):
        found = fault_texts(place).get(fault)
        if found is not None:
            return found
    from grader.exercises.registry import all_exercises

    for other in all_exercises():
        try:
            found = fault_texts(other.id).get(fault)
        except ExerciseError:  # a room in the making must not stop another one
            continue
        if found is not None:
            return found
    return FaultText(Text.same(fault), Text("", ""), ())
