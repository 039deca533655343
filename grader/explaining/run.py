"""From an id to an explanation: the texts of the catalogue, and the demonstration that belongs to it."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from grader.errors import UsageError
from grader.exercises.registry import module_names
from grader.exercises.texts import fault_text, fault_texts
from grader.explaining.catalogue import TOPICS, theme_of, topic, why_none
from grader.explaining.records import Demonstration
from grader.explaining.where import exercises_of, faults_of
from grader.text import Text

__all__ = ["Explanation", "all_faults", "explain", "titles", "unknown"]

ANY = "N"  # stands for the number of a mistake that carries one


@dataclass(frozen=True)
class Explanation:
    """exercises: where the mistake can be made, empty for a topic; reason: why there is no demonstration."""

    id: str
    title: Text
    explanation: Text
    exercises: tuple[str, ...] = ()
    demonstration: Demonstration | None = None
    reason: Text | None = None


def explain(identity: str, exercise: str | None = None) -> Explanation:
    """The explanation of a mistake or topic; `exercise` chooses whose words are used.

    Raises `UsageError` for an id that there is not.
    """
    found = topic(identity)
    if found is not None:
        return Explanation(found.id, found.title, found.explanation, demonstration=found.demonstrate())
    if identity not in all_faults():
        raise unknown(identity)
    places = exercises_of(identity)
    texts = fault_text(exercise or next(iter(places), "common"), identity)
    theme = theme_of(identity)
    return Explanation(
        identity,
        _without_numbers(texts.title),
        _without_numbers(texts.explanation),
        places,
        None if theme is None else theme.demonstrate(),
        why_none(identity),
    )


def all_faults() -> tuple[str, ...]:
    """The ids of all mistakes, in the order of the exercises; those of every exercise come last."""
    found = [fault for name in module_names() for fault in faults_of(name)]
    return tuple(dict.fromkeys((*found, *fault_texts("common"))))


def titles(exercise: str) -> dict[str, Text]:
    """The mistakes of one exercise by id, with what they are."""
    return {fault: _without_numbers(fault_text(exercise, fault).title) for fault in faults_of(exercise)}


def unknown(word: str) -> UsageError:
    """What is said of a word that is no mistake, no topic and no exercise."""
    names = [*all_faults(), *(t.id for t in TOPICS), *module_names()]
    wanted = word.lower().replace("_", "-").strip()
    close = difflib.get_close_matches(wanted, names, 3, 0.55)
    close += [n for n in names if wanted and wanted in n and n not in close][: 3 - len(close)]
    if close:
        listed, zh = ", ".join(close), "、".join(close)
        return UsageError(
            Text(
                f"no mistake is called {word!r}; did you mean {listed}?",
                f"没有名为 {word!r} 的错误；你是否想用 {zh}？",
            )
        )
    return UsageError(
        Text(
            f"no mistake is called {word!r}; `grade explain` lists them",
            f"没有名为 {word!r} 的错误；`grade explain` 会列出全部",
        )
    )


def _without_numbers(text: Text) -> Text:
    """With a letter in place of a number that only a submission has."""
    return Text(*(re.sub(r"\{[a-z_]+\}", ANY, words) for words in (text.en, text.zh)))
