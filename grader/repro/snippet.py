"""Writes a finding down as a Python program that runs beside the learner's file."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import indent

from grader.diagnosis.model import Model
from grader.repro.calls import Call
from grader.repro.findings import Finding
from grader.repro.lines import docstring
from grader.repro.verdicts import Scene, verdict
from grader.repro.words import headline
from grader.text import Text

__all__ = ["Subject", "snippet"]

STANDARD = ("math", "random", "sys", "traceback")  # what a program may need of Python itself
TRIED = ("accepts", "wrong error", "raises")  # kinds in which a construction is itself what is tried


@dataclass(frozen=True)
class Subject:
    """exercise: its id; module: the name that the learner's file is imported by, None where the code is in
    a notebook; file: the name of the file, or of the notebook; outputs, meaning: as in the room; mistake:
    the diagnosis, where there is one; allowance: by how much a right result may differ; earlier: the
    exercises whose mistakes this shows, where they are not this one's own; taken: names that the learner's
    code defines, which a program in the notebook must not set anew."""

    exercise: str
    module: str | None
    file: str
    model: Model
    outputs: Mapping[str, tuple[str, ...]]
    meaning: Mapping[str, Text]
    mistake: Text | None = None
    allowance: float = 0.0
    earlier: tuple[str, ...] = ()
    taken: frozenset[str] = frozenset()

    @property
    def called(self) -> Text:
        """The learner's code in a sentence."""
        if self.module is not None:
            return Text.same(self.file)
        return Text(f"{self.exercise} ({self.file})", f"{self.exercise}（{self.file}）")


def snippet(finding: Finding, subject: Subject, language: str) -> str:
    """The whole program."""
    probe = finding.case.probe
    call = Call(finding.case, subject.model, language, counted=finding.kind == "called")
    names = subject.outputs.get(probe.target, ("result",))
    scene = Scene(finding, call, names, subject.meaning, _lines_of(subject), subject.allowance, language)
    tried = probe.args is None and finding.kind in TRIED
    body = "\n".join([*(() if tried else call.prepared()), *verdict(scene)])
    standard = [f"import {name}" for name in STANDARD if f"{name}." in body]
    head = [_about(finding, subject, language), "", *standard, *([""] if standard else [])]
    head += ["import torch"]
    if subject.module is not None:
        head.append(f"from {subject.module} import {probe.target}")
    elif subject.taken & _set_by(body):
        body = f"\ndef small():\n{indent(body, 4 * ' ')}\n\n\nsmall()"
    return "\n".join([*head, "", body]) + "\n"


def _set_by(body: str) -> set[str]:
    """The names that the lines of a program give a value."""
    found = set()
    for node in ast.walk(ast.parse(body)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
    return found


def _lines_of(subject: Subject) -> Text:
    """Where, in a traceback, the learner's lines are."""
    return Text.same(subject.file) if subject.module is not None else Text("one of your cells", "你的单元")


def _about(finding: Finding, subject: Subject, language: str) -> str:
    """What is wrong, why, and what to do with this program."""
    what, called = headline(finding), subject.called
    said = Text(
        f"A small input on which {called.en} is not right: {what.en}.",
        f"{called.zh} 在这个小输入上不对：{what.zh}。",
    )
    paragraphs = [said]
    if subject.mistake is not None:
        paragraphs.append(Text(f"The mistake: {subject.mistake.en}.", f"错误：{subject.mistake.zh}。"))
    if subject.earlier:
        suffix = ".py" if subject.module is not None else ""
        names, first = ", ".join(f"{n}{suffix}" for n in subject.earlier), subject.earlier[0]
        user = subject.file if subject.module is not None else subject.exercise
        paragraphs.append(
            Text(
                f"It comes from {names}, which {user} uses: try `grade repro {first}` first.",
                f"问题来自 {user} 所用的 {names}：请先试试 `grade repro {first}`。",
            )
        )
    paragraphs.append(_how_to_run(finding.case.probe.target, subject))
    return docstring([p.in_(language) for p in paragraphs])


def _how_to_run(target: str, subject: Subject) -> Text:
    file = subject.file
    if subject.module is not None:
        return Text(f"Run it in the folder of {file}.", f"请在 {file} 所在的文件夹中运行。")
    return Text(
        f"Run it in a new cell of {file}, after the cells that define {target}.",
        f"请先运行定义 {target} 的单元，再在 {file} 中新建一个单元来运行它。",
    )
