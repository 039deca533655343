"""Names taken out of what was found, and out of the code that is shown."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace

from grader.course.similar.records import Found, Missed, Pair, Side
from grader.submission.bombs import parse
from grader.text import Text

__all__ = ["veiled", "without_words"]

HIDDEN = Text("it cannot be read", "无法读取")  # the sentence may hold a name
SHORTEST = 3  # letters of a name that is looked for in the code


def veiled(found: Found, new: Mapping[str, str], names: Mapping[str, str | None]) -> Found:
    """new: the pseudonym of every student; names: what else they are called."""

    def pair(one: Pair) -> Pair:
        sides = [(side(a), side(b)) for a, b in one.sides]
        first, second = new[one.one], new[one.other]
        if second < first:  # which of them comes first would tell whose name does
            first, second = second, first
            sides = [(b, a) for a, b in sides]
        return replace(one, one=first, other=second, sides=tuple(sides))

    def side(one: Side) -> Side:
        called = [one.work.student, *re.split(r"\W+", names.get(one.work.student) or "")]
        text = without_words(one.work.text)
        for name in called:
            if len(name) >= SHORTEST:
                text = re.sub(re.escape(name), "...", text, flags=re.IGNORECASE)
        return replace(one, work=replace(one.work, student=new[one.work.student], text=text))

    groups = [tuple(sorted(new[s] for s in group)) for group in found.clusters]
    missed = [Missed(new[m.student], m.file and "...", HIDDEN) for m in found.missed]
    shown = len([p for p in found.pairs if p.sides])  # they come first, whoever they are
    return replace(
        found,
        pairs=(*_sorted(map(pair, found.pairs[:shown])), *_sorted(map(pair, found.pairs[shown:]))),
        clusters=tuple(sorted(groups, key=lambda group: (-len(group), group))),
        missed=tuple(sorted(missed, key=lambda m: (m.student, m.file or ""))),
    )


def _sorted(pairs: Iterable[Pair]) -> list[Pair]:
    """By how alike they are, and then by pseudonym: no order that comes from the names is left."""
    return sorted(pairs, key=lambda p: (-p.bits, p.one, p.other))


def without_words(text: str) -> str:
    """The code without comments and docstrings, on the same lines: they may say whose it is."""
    lines = text.split("\n")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parse(text)
        comments = [
            t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT
        ]
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return ""
    for token in comments:
        row, column = token.start
        lines[row - 1] = lines[row - 1][:column] + "# ..."
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            for row in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                lines[row - 1] = " " * node.col_offset + '"..."'
    return "\n".join(lines)
