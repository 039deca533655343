"""Which lines are right and which is the first that is not: by the known mistakes, and by the walk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from grader.diagnosis.divergence import Teller
from grader.diagnosis.following import Followed
from grader.diagnosis.walk import Culprit
from grader.marking.lab import Lab
from grader.marking.records import ExerciseResult
from grader.submission.files import SourceFile
from grader.submission.observation import ErrorInfo, Event, Observation
from grader.text import Text
from grader.tracing.lines import value_of
from grader.tracing.naming import name_shape
from grader.tracing.records import Mark, TracedLine, TracedValue

__all__ = ["Blame", "blamed", "marked"]


@dataclass(frozen=True)
class Blame:
    """A known mistake on a line of the file."""

    fault: str
    line: int
    title: Text


def blamed(result: ExerciseResult, file: SourceFile) -> tuple[Blame, ...]:
    """What grading found for certain: in the core, or else at the edges."""
    found = [d for d in result.diagnoses if d.faults and d.confidence == "confirmed"]
    core = [d for d in found if d.tier == "core"] or found
    return tuple(
        Blame(f.id, f.line, f.title)
        for d in core
        for f in d.faults
        if f.line is not None and f.file == file.name
    )


def marked(
    lines: Sequence[TracedLine],
    blame: Sequence[Blame],
    found: Followed | None,
    seen: Observation,
    file: SourceFile,
    lab: Lab,
    sizes: Mapping[str, int],
) -> tuple[TracedLine, ...]:
    """The lines with their marks.

    A mistake that grading has recognised stands where grading says; only otherwise is the line marked at
    which the walk sees the values leave the model.
    """
    table = {line.line: line for line in lines}
    teller = Teller(found, file, lab) if found is not None else None
    first = min((b.line for b in blame), default=None)
    for line, words in _rights(teller, file):
        if line in table:
            table[line] = replace(table[line], mark=Mark.RIGHT, note=words)
    strayed = _strayed(teller, file) if teller is not None else None
    if strayed is not None and (not blame or strayed.line == first):
        table = _with(table, strayed.line, strayed.words, _wanted(strayed.culprit, seen.trace, sizes))
    for one in blame:
        before = table.get(one.line)
        told = before.note if before is not None and before.mark is Mark.WRONG else None
        title = one.title + Text(".", "。")
        table = _with(table, one.line, title if told is None else title + Text(" ", "") + told, None)
    if seen.error is not None:
        table = _raised(table, seen.error, seen.trace, file, sizes)
    return tuple(table[number] for number in sorted(table))


def _with(
    table: Mapping[int, TracedLine], line: int, note: Text, wanted: TracedValue | None
) -> dict[int, TracedLine]:
    if line not in table:
        return dict(table)
    old = table[line]
    return {**table, line: replace(old, mark=Mark.WRONG, note=note, wanted=wanted or old.wanted)}


@dataclass(frozen=True)
class _Strayed:
    line: int
    words: Text
    culprit: Culprit


def _rights(teller: Teller | None, file: SourceFile) -> Iterator[tuple[int, Text]]:
    if teller is None:
        return
    for spot, words in teller.rights():
        line = _line_of(spot, file)
        if line is not None:
            yield line, words


def _strayed(teller: Teller, file: SourceFile) -> _Strayed | None:
    """Where the values leave the model, and in which way."""
    culprit = teller.walk.culprit
    if culprit is None:
        return None
    try:
        said = list(teller.wrong(culprit))
    except (RuntimeError, ValueError, IndexError):  # of torch, on values that nobody has thought of
        return None
    spot, _, _ = said[0].en.partition(" ") if said else ("", "", "")
    line = _line_of(spot, file)
    if line is None:
        return None
    words = [t if n else _without(spot, t) for n, t in enumerate(said)]
    return _Strayed(line, Text.join(words, " ", ""), culprit)


def _without(spot: str, words: Text) -> Text:
    """The sentence without the place that it starts with: it stands at that line."""
    return Text(_capital(words.en.removeprefix(spot).strip()), words.zh.removeprefix(spot).strip())


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _wanted(culprit: Culprit, events: Sequence[Event], sizes: Mapping[str, int]) -> TracedValue | None:
    """The right value beside the learner's; not where it is one that belongs to another step."""
    if culprit.same_as is not None or not isinstance(culprit.wanted, Tensor):
        return None
    return value_of(culprit.wanted, sizes)


def _line_of(spot: str, file: SourceFile) -> int | None:
    name, _, number = spot.rpartition(":")
    return int(number) if name == file.name and number.isdigit() else None


def _raised(
    table: Mapping[int, TracedLine],
    error: ErrorInfo,
    events: Sequence[Event],
    file: SourceFile,
    sizes: Mapping[str, int],
) -> dict[int, TracedLine]:
    """The line that raised, with the message and the shapes of what it was given."""
    frame = error.within(file.name)
    if frame is None or frame.file != file.name or frame.line not in table:
        return dict(table)
    shapes = next(
        (e.operands for e in reversed(events) if e.operands is not None and e.line == frame.line), None
    )
    named = tuple(frame.shapes[:4]) if not shapes else tuple(("", s) for s in shapes)
    operands = tuple(
        TracedValue(tuple(s), name_shape(s, sizes), "", (), True, None, None, op=name) for name, s in named
    )
    for caller in error.frames:  # what these lines compute is not finished
        if caller.file == file.name and caller.line in table:
            unfinished = table[caller.line]
            mark = Mark.NONE if unfinished.mark is Mark.RIGHT else unfinished.mark
            note = None if mark is Mark.NONE else unfinished.note
            table = {**table, caller.line: replace(unfinished, mark=mark, note=note, values=(), steps=())}
    old = table[frame.line]
    first = next(iter(error.message.strip().splitlines()), "")
    note = Text.same(f"{error.type}: {first}" if first else error.type)
    if old.mark is Mark.WRONG and old.note is not None:
        note = old.note + Text(" ", "") + note
    return {**table, frame.line: replace(old, mark=Mark.RAISED, note=note, operands=operands)}
