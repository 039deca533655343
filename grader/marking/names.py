"""Whether a loaded file offers the names that the exercise asks for, and of the right kind."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Collection, Mapping
from typing import Any

from grader.exercises.registry import Entry
from grader.marking.case import Case
from grader.submission.files import SourceFile
from grader.text import Text

__all__ = ["check_names"]

A_CLASS = Text("a class", "类")
KINDS = {"function": Text("a function", "函数"), "class": A_CLASS, "module": A_CLASS}


def check_names(case: Case, file: SourceFile, kinds: Mapping[str, Any]) -> bool:
    """True when there is something to check; sets the status where a name is absent or of another kind."""
    entries = case.exercise.entries
    others = file.defined().keys() - {e.name for e in entries}
    found = [(e, _wrong(e, file, kinds.get(e.name), others)) for e in entries]
    wrong = [(entry, *sentence) for entry, sentence in found if sentence is not None]
    if not wrong:
        return True
    lines = [line for _, _, line in wrong if line is not None]
    note = Text.join([text for _, text, _ in wrong], "; ", "；")
    case.stop("incomplete", "missing-name", note, lines[0] if lines else None)
    return len(wrong) < len(entries)


def _wrong(
    entry: Entry, file: SourceFile, kind: Any, others: Collection[str]
) -> tuple[Text, int | None] | None:
    """The sentence and the line, where the name is not what it should be; others: names that may be meant."""
    defined = file.defined()
    line = defined.get(entry.name)
    if kind is None and line is None:
        close = difflib.get_close_matches(entry.name, others, 1, 0.6)
        text = Text(f"{file.name} does not define {entry.name}", f"{file.name} 没有定义 {entry.name}")
        if not close:
            return text, None
        line = defined[close[0]]
        cell, number = file.place(line)
        if file.places is not None:
            return text + Text(
                f" (there is {close[0]} at {cell}:{number}: rename it?)",
                f"（{cell}:{number} 处有 {close[0]}：是否应改名？）",
            ), line
        return text + Text(
            f" (there is {close[0]} at line {line}: rename it?)",
            f"（第 {line} 行有 {close[0]}：是否应改名？）",
        ), line
    wanted = KINDS[entry.kind]
    if kind == ("module" if entry.kind == "class" else "function"):
        return _uncallable(entry, file)
    spot = f"{file.name}:{line}" if line else file.name
    if entry.kind == "class" and kind == "class":
        return Text(
            f"{spot}: {entry.name} is no nn.Module: write `(nn.Module)` behind its name",
            f"{spot}：{entry.name} 不是 nn.Module：请在类名后面写上 `(nn.Module)`",
        ), line
    seen = _kind(kind)
    return Text(
        f"{spot}: {entry.name} should be {wanted.en}, and is {seen.en}",
        f"{spot}：{entry.name} 应是{wanted.zh}，却是{seen.zh}",
    ), line


def _uncallable(entry: Entry, file: SourceFile) -> tuple[Text, int | None] | None:
    """An `async def` or a generator, which gives no result when it is called."""
    name = entry.name if entry.kind == "function" else f"{entry.name}.forward"
    node = file.definition(name)
    if isinstance(node, ast.AsyncFunctionDef):
        words = Text("write `def`, not `async def`", "请写 `def`，不要写 `async def`")
    elif isinstance(node, ast.FunctionDef) and _yields(node):
        words = Text("write `return`, not `yield`", "请写 `return`，不要写 `yield`")
    else:
        return None
    spot = f"{file.name}:{node.lineno}"
    return Text(
        f"{spot}: {name} gives no result when it is called: {words.en}",
        f"{spot}：调用 {name} 得不到结果：{words.zh}",
    ), node.lineno


def _yields(function: ast.FunctionDef) -> bool:
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return not function.decorator_list
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)
    return False


def _kind(kind: Any) -> Text:
    if kind is None:
        return Text("None", " None")
    if str(kind) in KINDS:
        return KINDS[str(kind)]
    article = "an" if str(kind)[:1].lower() in "aeiou" else "a"
    return Text(f"{article} {kind}", f" {kind}")
