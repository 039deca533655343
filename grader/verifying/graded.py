"""Proofs about the files of the kit, once they are graded: the solution is right, the skeleton is open."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from grader.exercises.registry import Exercise
from grader.marking.records import ExerciseResult
from grader.text import Text
from grader.verifying.records import Finding, Proof

__all__ = ["entries", "skeleton", "solution"]


def solution(result: ExerciseResult) -> Proof:
    """The reference solution passes every check with full marks, and nothing is said against it."""
    found: list[Finding] = []

    def say(en: str, zh: str) -> None:
        found.append(Finding.of(result.id, "solution", en, zh))

    for check in result.checks:
        if check.outcome != "passed" or check.points < check.max_points:
            why = check.message or Text.same(check.outcome)
            say(
                f"the solution loses points in {check.id}: {why.en}",
                f"参考答案在 {check.id} 中失分：{why.zh}",
            )
    if not result.passed or not result.checks:
        why = result.note or Text.same(result.status)
        say(f"the solution is not passed: {why.en}", f"参考答案未通过：{why.zh}")
    elif not found and result.score != result.max_score:
        score, most = f"{result.score:g}", f"{result.max_score:g}"
        say(f"the solution has {score} of {most} points", f"参考答案得分 {score} / {most}")
    if result.passed and result.diagnoses:
        named = ", ".join(f.id for d in result.diagnoses for f in d.faults) or "-"
        say(f"the solution gets a diagnosis: {named}", f"参考答案得到了诊断：{named}")
    if result.printed:
        say("the solution prints something", "参考答案有打印输出")
    return Proof(result.id, "solution", len(result.checks), tuple(found))


def skeleton(result: ExerciseResult, text: str) -> Proof:
    """The skeleton is `incomplete`, without points, and the line named is one that is to be written."""
    found: list[Finding] = []

    def say(en: str, zh: str) -> None:
        found.append(Finding.of(result.id, "skeleton", en, zh))

    if result.status != "incomplete":
        say(
            f"the skeleton is {result.status!r}, not 'incomplete'",
            f"骨架的状态是 {result.status!r}，而不是 'incomplete'",
        )
    if result.score:
        say(
            f"the skeleton has {result.score:g} points without being written",
            f"骨架尚未完成，却有 {result.score:g} 分",
        )
    named = [f for d in result.diagnoses for f in d.faults]
    ids = ", ".join(f.id for f in named) or "-"
    if [f.id for f in named] != ["not-implemented"]:
        say(
            f"the skeleton is diagnosed as {ids}, not as not-implemented",
            f"骨架被诊断为 {ids}，而不是 not-implemented",
        )
    elif not _to_write(text, named[0].line):
        say(
            f"line {named[0].line} of the skeleton, which is named, is not to be written",
            f"指出的骨架第 {named[0].line} 行并不是待完成的部分",
        )
    return Proof(result.id, "skeleton", 1, tuple(found))


def _to_write(text: str, line: int | None) -> bool:
    lines = text.splitlines()
    return line is not None and 0 < line <= len(lines) and "raise NotImplementedError" in lines[line - 1]


def entries(exercise: Exercise, texts: Mapping[str, str]) -> Proof:
    """Each of the files (their texts by a word for them) defines every entry point, as what it is."""
    found = []
    for name, text in texts.items():
        kinds = {
            node.name: "class" if isinstance(node, ast.ClassDef) else "function"
            for node in ast.parse(text).body
            if isinstance(node, (ast.ClassDef, ast.FunctionDef))
        }
        found += [
            Finding.of(
                exercise.id,
                "entries",
                f"the {name} defines no {entry.kind} {entry.name}",
                f"{name} 中没有定义 {entry.kind} {entry.name}",
            )
            for entry in exercise.entries
            if kinds.get(entry.name) != entry.kind
        ]
    return Proof(exercise.id, "entries", len(exercise.entries) * len(texts), tuple(found))
