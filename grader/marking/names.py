"""Whether a loaded file offers the names that the exercise asks for, and whether they are what they should be."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from grader.exercises.registry import Entry
from grader.marking.case import Case
from grader.submission.files import SourceFile
from grader.text import Text

__all__ = ["check_names"]

KINDS = {"function": Text("a function", "函数"), "class": Text("a class", "类"), "module": Text("a class", "类")}


def check_names(case: Case, file: SourceFile, kinds: Mapping[str, Any]) -> bool:
    """True when there is something to check; sets the status where a name is absent or of another kind."""
    found = [(e, _wrong(e, file, kinds.get(e.name))) for e in case.exercise.entries]
    wrong = [(entry, *sentence) for entry, sentence in found if sentence is not None]
    if not wrong:
        return True
    lines = [line for _, _, line in wrong if line is not None]
    note = Text.join([text for _, text, _ in wrong], "; ", "；")
    case.stop("incomplete", "missing-name", note, lines[0] if lines else None)
    return len(wrong) < len(case.exercise.entries)


def _wrong(entry: Entry, file: SourceFile, kind: Any) -> tuple[Text, int | None] | None:
    """The sentence and the line, where the name is not what it should be."""
    defined = file.defined()
    line = defined.get(entry.name)
    if kind is None and line is None:
        close = difflib.get_close_matches(entry.name, defined, 1, 0.6)
        text = Text(f"{file.name} does not define {entry.name}", f"{file.name} 没有定义 {entry.name}")
        if not close:
            return text, None
        line = defined[close[0]]
        return text + Text(
            f" (there is {close[0]} at line {line}: rename it?)",
            f"（第 {line} 行有 {close[0]}：是否应改名？）",
        ), line
    wanted = KINDS[entry.kind]
    if kind == ("module" if entry.kind == "class" else "function"):
        return None
    spot = f"{file.name}:{line}" if line else file.name
    if entry.kind == "class" and kind == "class":
        return Text(
            f"{spot}: {entry.name} should be an nn.Module: does `(nn.Module)` stand behind its name?",
            f"{spot}：{entry.name} 应是 nn.Module：类名后面写了 `(nn.Module)` 吗？",
        ), line
    seen = _kind(kind)
    return Text(
        f"{spot}: {entry.name} should be {wanted.en}, and is {seen.en}",
        f"{spot}：{entry.name} 应是{wanted.zh}，却是{seen.zh}",
    ), line


def _kind(kind: Any) -> Text:
    if kind is None:
        return Text("None", " None")
    if str(kind) in KINDS:
        return KINDS[str(kind)]
    article = "an" if str(kind)[:1].lower() in "aeiou" else "a"
    return Text(f"{article} {kind}", f" {kind}")
