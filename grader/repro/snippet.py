"""Writes a finding down as a Python program that runs beside the learner's file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
    """module: the name that the learner's file is imported by; file: its name; outputs, meaning: as in
    the room; mistake: the diagnosis, where there is one; allowance: by how much a right result may
    differ; earlier: the exercises whose mistakes this shows, where they are not this one's own."""

    module: str
    file: str
    model: Model
    outputs: Mapping[str, tuple[str, ...]]
    meaning: Mapping[str, Text]
    mistake: Text | None = None
    allowance: float = 0.0
    earlier: tuple[str, ...] = ()


def snippet(finding: Finding, subject: Subject, language: str) -> str:
    """The whole program."""
    probe = finding.case.probe
    call = Call(finding.case, subject.model, language, counted=finding.kind == "called")
    names = subject.outputs.get(probe.target, ("result",))
    scene = Scene(finding, call, names, subject.meaning, subject.file, subject.allowance, language)
    tried = probe.args is None and finding.kind in TRIED
    body = "\n".join([*(() if tried else call.prepared()), *verdict(scene)])
    standard = [f"import {name}" for name in STANDARD if f"{name}." in body]
    head = [_about(finding, subject, language), "", *standard, *([""] if standard else [])]
    head += ["import torch", f"from {subject.module} import {probe.target}", ""]
    return "\n".join([*head, body]) + "\n"


def _about(finding: Finding, subject: Subject, language: str) -> str:
    """What is wrong, why, and what to do with this file."""
    file, what = subject.file, headline(finding)
    said = Text(
        f"A small input on which {file} is not right: {what.en}.",
        f"{file} 在这个小输入上不对：{what.zh}。",
    )
    run = Text(f"Run it in the folder of {file}.", f"请在 {file} 所在的文件夹中运行。")
    paragraphs = [said]
    if subject.mistake is not None:
        paragraphs.append(Text(f"The mistake: {subject.mistake.en}.", f"错误：{subject.mistake.zh}。"))
    if subject.earlier:
        names, first = ", ".join(f"{n}.py" for n in subject.earlier), subject.earlier[0]
        paragraphs.append(
            Text(
                f"It comes from {names}, which {file} uses: try `grade repro {first}` first.",
                f"问题来自 {file} 所用的 {names}：请先试试 `grade repro {first}`。",
            )
        )
    return docstring([p.in_(language) for p in [*paragraphs, run]])
