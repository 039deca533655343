"""Proofs about the checks of a suite: each has its entry and its titles, and the points add up.

And about the faults that no call shows: some check names each of them.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from grader.exercises.registry import Exercise
from grader.verifying.records import Finding, Proof

__all__ = ["STEP", "checks", "faults_named", "marks", "raised", "shared_sources", "titles"]

STEP = 10.0  # the points of all exercises together are a multiple of it
LAB = ("lab.py", "failing.py", "preparing.py", "not_loaded.py")  # of the marking: they name faults as well


def titles(suite: str) -> dict[str, str]:
    """The checks of a suite and their docstrings, read without importing it."""
    return {
        node.name.removeprefix("test_"): ast.get_docstring(node) or ""
        for node in ast.parse(suite).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def checks(exercise: Exercise, suite: str) -> Proof:
    """Every check has an entry in ``exercise.toml`` and the other way round, with points and titles."""
    written = titles(suite)
    found: list[Finding] = []

    def say(en: str, zh: str) -> None:
        found.append(Finding.of(exercise.id, "checks", en, zh))

    for name in sorted(written.keys() - exercise.checks.keys()):
        say(f"the check {name} has no entry in exercise.toml", f"检查 {name} 在 exercise.toml 中没有条目")
    for name in sorted(exercise.checks.keys() - written.keys()):
        say(f"exercise.toml has {name}, which is no check", f"exercise.toml 中的 {name} 不是任何检查")
    for row in exercise.checks.values():
        if row.tier not in ("core", "edge"):
            say(
                f"the check {row.id} has the tier {row.tier!r}, not core or edge",
                f"检查 {row.id} 的层级是 {row.tier!r}，应为 core 或 edge",
            )
        if row.points <= 0:
            say(f"the check {row.id} gives no points", f"检查 {row.id} 没有分数")
        if not row.zh.strip():
            say(f"the check {row.id} has no Chinese title", f"检查 {row.id} 没有中文标题")
        if row.id in written and not written[row.id].strip():
            say(
                f"the check {row.id} has no docstring, which is its title",
                f"检查 {row.id} 没有文档字符串（即英文标题）",
            )
    for title in [*_twice(written.values()), *_twice(row.zh for row in exercise.checks.values())]:
        say(f"two checks have the title {title!r}", f"两个检查的标题都是 {title!r}")
    return Proof(exercise.id, "checks", len(exercise.checks), tuple(found))


def _twice(words: Iterable[str]) -> list[str]:
    return [word for word, times in Counter(words).items() if word and times > 1]


def marks(maximum: Mapping[str, float], *, whole: bool) -> list[Proof]:
    """The points of an exercise are a whole number; with `whole` those of the kit are so many tens."""
    proofs = [
        Proof(
            name,
            "marks",
            1,
            ()
            if most == round(most)
            else (Finding.of(name, "marks", f"its points add up to {most:g}", f"分数合计为 {most:g}"),),
        )
        for name, most in maximum.items()
    ]
    total = sum(maximum.values())
    if whole and total % STEP:
        words = (f"the points of all exercises add up to {total:g}", f"所有练习的分数合计为 {total:g}")
        proofs.append(Proof("common", "marks", 1, (Finding.of("common", "marks", *words),)))
    return proofs


# -- faults that checks name ------------------------------------------------------------------------


def shared_sources(exercise: Exercise) -> list[str]:
    """The texts of the programs that name faults for every suite, and of those that this one imports."""
    house = exercise.folder.parent.parent
    paths = [house / "marking" / name for name in LAB]
    for node in ast.walk(ast.parse(exercise.suite.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("grader.exercises."):
            paths.append(house.joinpath(*(node.module or "").split(".")[1:]).with_suffix(".py"))
    return [path.read_text(encoding="utf-8") for path in paths if path.is_file()]


def faults_named(program: str) -> set[str]:
    """The ids that a program gives to `fault`, as a keyword or as a variable."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.keyword) and node.arg == "fault":
            found |= _strings(node.value)
        elif isinstance(node, ast.Assign):
            names = {n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)}
            if "fault" in names:
                found |= _strings(node.value)
    return found


def _strings(node: ast.AST) -> set[str]:
    """The strings in a piece of a program, but for those that something is compared with."""
    if isinstance(node, ast.Compare):
        return set()
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else set()
    return {found for child in ast.iter_child_nodes(node) for found in _strings(child)}


def raised(exercise: str, named: Collection[str], suite: str, shared: Iterable[str] = ()) -> Proof:
    """Every fault that the catalogue leaves to the checks is named by one.

    The id may stand anywhere in the suite or in what it imports: a function may choose it.
    """
    there = {name for program in (suite, *shared) for name in _strings(ast.parse(program))}
    found = [
        Finding.of(
            exercise,
            "raised",
            f"{fault} is left to the checks (`by_check`), and no check names it",
            f"{fault} 交由检查指出（`by_check`），但没有检查指出它",
            fault,
        )
        for fault in named
        if fault not in there
    ]
    return Proof(exercise, "raised", len(named), tuple(found))
