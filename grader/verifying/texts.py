"""Proofs about what learners read of a fault: both languages, three hints, and not the solution."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from grader.exercises.texts import FaultText
from grader.text import LANGUAGES
from grader.verifying.records import Finding, Proof

__all__ = ["given_away", "lacking", "lines_of_code", "read_alike", "texts"]

CHINESE = re.compile("[\u4e00-\u9fff]")
HINTS = 3
HEADERS = ("def ", "class ", "from ", "import ")  # the skeleton has them as well
LONG = 25  # a line of code longer than this, found in a text, gives the solution away


def texts(place: str, found: Mapping[str, FaultText], own: Collection[str], code: Collection[str]) -> Proof:
    """All three proofs of the texts of one exercise.

    found: the texts of its faults, by id; own: those of them that stand in its own files, which must not
    read alike; code: the lines of the solutions.
    """
    findings = []
    for fault, text in found.items():
        findings += [
            Finding.of(place, "texts", f"{fault} has {en}", f"{fault}：{zh}", fault)
            for en, zh in [*lacking(text), *given_away(text, code)]
        ]
    for fault, other, part in read_alike({name: found[name] for name in own if name in found}):
        findings.append(
            Finding.of(
                place,
                "texts",
                f"{fault} and {other} have the same {part}",
                f"{fault} 与 {other} 的文字相同（{part}）",
                fault,
                other,
            )
        )
    return Proof(place, "texts", len(found), tuple(findings))


def lacking(text: FaultText) -> Iterator[tuple[str, str]]:
    """What the texts of a fault lack, in English and Chinese."""
    if len(text.hints) != HINTS:
        yield f"{len(text.hints)} hints, not {HINTS}", f"提示有 {len(text.hints)} 条，应为 {HINTS} 条"
    if "\n" in text.title.en + text.title.zh:
        yield "a title of several lines", "标题不止一行"
    for part in (text.title, text.explanation, *text.hints):
        if not part.en.strip():
            yield "an empty text in English", "缺少英文"
        elif CHINESE.search(part.en):
            yield f"Chinese in its English text: {part.en!r}", f"英文中有中文：{part.en!r}"
        if not part.zh.strip():
            yield "an empty text in Chinese", "缺少中文"
        elif not CHINESE.search(part.zh):
            yield f"no Chinese in its Chinese text: {part.zh!r}", f"中文里没有汉字：{part.zh!r}"
    for language in LANGUAGES:
        ladder = [hint.in_(language) for hint in text.hints]
        if len(set(ladder)) < len(ladder):
            yield f"the same hint twice ({language})", f"两条提示相同（{language}）"


def given_away(text: FaultText, code: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The lines of the solutions that the texts of a fault contain."""
    whole = [text.title, text.explanation, *text.hints]
    for part, line in itertools.product(whole, code):
        if line in part.en or line in part.zh:
            yield f"a line of the solution in its text: {line}", f"文字中含有参考答案的一行：{line}"


def read_alike(found: Mapping[str, FaultText]) -> Iterator[tuple[str, str, str]]:
    """Two faults whose title or explanation is the same in one language, and which of them."""
    seen: dict[tuple[str, str], str] = {}
    for fault, text in found.items():
        for part, words in (("title", text.title), ("explanation", text.explanation)):
            for language in LANGUAGES:
                key = (part, words.in_(language))
                if words.in_(language) and seen.setdefault(key, fault) != fault:
                    yield fault, seen[key], f"{part}, {language}"


def lines_of_code(solutions: Iterable[str]) -> set[str]:
    """The lines of the solutions that are long enough to be recognised, without their docstrings."""
    return {
        stripped
        for text in solutions
        for line in _code(text)
        if len(stripped := line.strip()) > LONG and not stripped.startswith(HEADERS)
    }


def _code(text: str) -> list[str]:
    """The lines of a file without comments and docstrings: as they stand, and as Python prints them."""
    return ast.unparse(_without_docstrings(ast.parse(text))).splitlines() + [
        line.partition("  #")[0] for line in text.splitlines()
    ]


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return tree
