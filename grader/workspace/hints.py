"""The ladder of hints: of the mistake that was diagnosed, one rung at a time, none of them twice."""

from __future__ import annotations

import functools
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grader.data import skeleton_folder
from grader.exercises.registry import exercise
from grader.marking.records import Diagnosis, NamedFault
from grader.submission.decoding import parse_source
from grader.submission.files import SourceFile
from grader.text import Text
from grader.workspace.place import Event, Workspace
from grader.workspace.runs import run_of

__all__ = ["Answer", "Ladder", "answer", "first_step", "given_hints", "ladders", "remember"]

UNWRITTEN = "not-implemented"


@dataclass(frozen=True)
class Ladder:
    """The hints for one thing: a fault, or a part of the file that is not written yet."""

    key: str
    fault: str
    title: Text
    rungs: tuple[Text, ...]
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class Answer:
    """What `grade hint` says.

    kind: ``hint`` (the next rung), ``exhausted`` (all were given), ``unrecognised`` (no known mistake),
    ``passed``, or ``none`` (something is wrong for which there are no hints); ladder and rung (from 1) with
    a hint; evidence: where the numbers part, of an unrecognised mistake; edge: the exercise is passed, and
    the hint is about points that are still missing; given: the ladders of what is wrong now, with the number
    of rungs that were given before.
    """

    kind: str
    exercise: str
    ladder: Ladder | None = None
    rung: int = 0
    evidence: Text | None = None
    note: Text | None = None
    edge: bool = False
    given: tuple[tuple[Ladder, int], ...] = ()

    @property
    def text(self) -> Text | None:
        return self.ladder.rungs[self.rung - 1] if self.ladder and self.rung else None


def answer(
    exercise: str,
    status: str,
    diagnoses: Sequence[Diagnosis],
    file: SourceFile | None,
    given: Mapping[tuple[str, str], int],
    note: Text | None = None,
) -> Answer:
    """The next hint for what was diagnosed; `given`: how many rungs were given, by exercise and key."""
    steps = ladders(exercise, diagnoses, file)
    edge = status == "passed"
    before = [(ladder, min(given.get((exercise, ladder.key), 0), len(ladder.rungs))) for ladder in steps]
    told = tuple((ladder, count) for ladder, count in before if count)
    for ladder, count in before:
        if count < len(ladder.rungs):
            return Answer("hint", exercise, ladder, count + 1, edge=edge, given=told)
    if edge and not steps:
        return Answer("passed", exercise)
    unknown = next((d for d in diagnoses if d.confidence == "unrecognised"), None)
    if unknown is not None and not steps:
        return Answer("unrecognised", exercise, evidence=unknown.evidence)
    if steps:
        return Answer("exhausted", exercise, steps[0], edge=edge, given=told)
    return Answer("none", exercise, note=note)


def ladders(exercise: str, diagnoses: Sequence[Diagnosis], file: SourceFile | None) -> list[Ladder]:
    """The ladders of the mistakes, those of core checks first; then of what is not written yet."""
    found: dict[str, Ladder] = {}
    unwritten = False
    for diagnosis in sorted(diagnoses, key=lambda d: d.tier != "core"):
        for fault in diagnosis.faults:
            if fault.id == UNWRITTEN:
                unwritten = True
            elif fault.hints:
                found.setdefault(fault.id, _ladder(fault))
    if unwritten:
        for ladder in _to_write(exercise, file):
            found.setdefault(ladder.key, ladder)
    return list(found.values())


def first_step(diagnoses: Sequence[Diagnosis]) -> str | None:
    """The key of the ladder whose first rung a report gives as the next step."""
    core = [d for d in diagnoses if d.tier == "core"]
    faults = (f for d in core or diagnoses for f in d.faults)
    return next((f.id for f in faults if f.hints and f.id != UNWRITTEN), None)


def given_hints(events: Iterable[Event]) -> Counter[tuple[str, str]]:
    """How many rungs of each ladder were given, by exercise and key; what a report said counts, too."""
    highest: Counter[tuple[str, str]] = Counter()
    for event in events:
        if event.kind == "hint":
            key = (event.word("exercise"), event.word("key"))
            highest[key] = max(highest[key], int(event.number("rung")))
        elif event.kind == "run" and event.word("by") in ("run", "watch"):
            run = run_of(event)
            step = first_step(run.diagnoses) if run is not None else None
            if run is not None and step is not None:
                highest[run.exercise, step] = max(1, highest[run.exercise, step])
    return highest


def remember(workspace: Workspace, found: Answer) -> bool:
    """Notes that a hint was given; False where the folder cannot be written."""
    if found.kind != "hint" or found.ladder is None:
        return True
    ladder = found.ladder
    return workspace.record(
        "hint", exercise=found.exercise, key=ladder.key, fault=ladder.fault, rung=found.rung
    )


def _ladder(fault: NamedFault) -> Ladder:
    return Ladder(fault.id, fault.id, fault.title, fault.hints, fault.file, fault.line)


# -- where to start ---------------------------------------------------------------------------------


def _to_write(name: str, file: SourceFile | None) -> list[Ladder]:
    """The questions of the skeleton for each part that is not written, in the order of the file."""
    known = exercise(name)
    skeleton, questions = _skeleton(name)
    open_parts = file.unfinished(known) if file is not None and file.tree is not None else {}
    if not open_parts:  # no file, or nothing in it: everything is to be written
        open_parts = dict.fromkeys(skeleton.unfinished(known), 0)
    found = []
    for part, line in open_parts.items():
        rungs = questions.get(part, ())
        if not rungs:
            continue
        title = Text(f"`{part}` is not written yet", f"`{part}` 尚未完成")
        place = file.place(line) if file is not None and line else (None, None)
        found.append(Ladder(f"{UNWRITTEN}:{part}", UNWRITTEN, title, rungs, *place))
    return found


@functools.cache
def _skeleton(name: str) -> tuple[SourceFile, Mapping[str, tuple[Text, ...]]]:
    data = (skeleton_folder() / f"{name}.py").read_bytes()
    file = parse_source(name, f"{name}.py", data)
    comments = _to_dos(file.text)
    questions = {}
    for part in file.unfinished(exercise(name)):
        node = file.definition(part)
        if node is not None:
            inside = [words for line, words in comments if node.lineno <= line <= (node.end_lineno or line)]
            questions[part] = tuple(Text.same(words) for words in inside)
    return file, questions


def _to_dos(source: str) -> list[tuple[int, str]]:
    """The ``# TODO:`` comments with their lines; a comment goes on in the indented ones below it."""
    found: list[tuple[int, str]] = []
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        line, words = token.start[0], token.string.lstrip("#")
        start = re.match(r"\s*TODO:\s*", words)
        if start is not None:
            found.append((line, words[start.end() :].strip()))
            last = line
        elif found and line == last + 1 and words.startswith("   "):
            found[-1] = (found[-1][0], f"{found[-1][1]} {words.strip()}")
            last = line
    return found
