"""Mutants of one source: every place where an operator applies, and the whole new text of each."""

from __future__ import annotations

import ast
import difflib
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from benchmarks.mutants.operators import OPERATORS, Made, Operator, Place

__all__ = ["Mutant", "Source", "bare", "changes", "difference", "mutants", "replaced"]

UNSEEN_METHODS = ("__repr__", "extra_repr")  # what they say is not graded


@dataclass(frozen=True)
class Source:
    """A right submission of an exercise: the solution, or a wheat."""

    exercise: str
    name: str
    text: str

    @property
    def id(self) -> str:
        return f"{self.exercise}/{self.name}"

    @cached_property
    def place(self) -> Place:
        return Place(ast.parse(self.text))

    @cached_property
    def plain(self) -> str:
        return ast.unparse(self.place.tree)


@dataclass(frozen=True)
class Mutant:
    """One mutation of one source.

    id: exercise/source:operator:line:number, where number counts the mutations of that operator on that
    line.
    """

    source: Source = field(repr=False)
    operator: str
    number: int
    old: ast.AST = field(repr=False)
    new: Made = field(repr=False)

    @property
    def line(self) -> int:
        line: int = self.old.lineno  # type: ignore[attr-defined]
        return line

    @property
    def id(self) -> str:
        return f"{self.source.id}:{self.operator}:{self.line}:{self.number}"

    @property
    def exercise(self) -> str:
        return self.source.exercise

    @cached_property
    def where(self) -> str:
        """The definition that is changed: ``LayerNorm.forward``."""
        around = [self.old, *self.source.place.above(self.old)]
        return ".".join(n.name for n in reversed(around) if isinstance(n, (ast.FunctionDef, ast.ClassDef)))

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What stays when the lines of the source move."""
        return self.source.id, self.operator, self.where, bare(self.diff)

    @cached_property
    def kind(self) -> tuple[str, str, str, str]:
        """The operator, what became what, and in which call: the same wherever it happens."""
        return self.operator, ast.unparse(self.old), self.made, _called(self.old, self.source.place)

    @cached_property
    def made(self) -> str:
        """The code that was put in."""
        return "\n".join(ast.unparse(node) for node in _nodes(self.new))

    @cached_property
    def text(self) -> str | None:
        """The mutated source; None where the change cannot be written or changes nothing."""
        text = replaced(self.source.text, self.source.place, self.old, self.new)
        return None if text is None or ast.unparse(ast.parse(text)) == self.source.plain else text

    @cached_property
    def plain(self) -> str:
        """The text as the parser reads it: equal for equal mutants."""
        return ast.unparse(ast.parse(self.text or ""))

    @cached_property
    def diff(self) -> str:
        """The lines that differ."""
        return difference(self.source.text, self.text or "")


def mutants(source: Source) -> list[Mutant]:
    """All mutations of a source, in a fixed order; what two operators make of a node counts once."""
    found = []
    seen: set[tuple[ast.AST, str]] = set()
    counts: Counter[tuple[str, int]] = Counter()
    for operator in OPERATORS.values():
        for old, new in changes(source.place, operator):
            mutant = Mutant(source, operator.name, 0, old, new)
            if (old, mutant.made) in seen or ast.unparse(old) == mutant.made:
                continue
            seen.add((old, mutant.made))
            counts[operator.name, mutant.line] += 1
            found.append(Mutant(source, operator.name, counts[operator.name, mutant.line], old, new))
    return found


def changes(place: Place, operator: Operator, *, everywhere: bool = False) -> Iterator[tuple[ast.AST, Made]]:
    """Every node of the definitions with what the operator puts in its place.

    everywhere: outside of definitions too, as in an example.
    """
    tree = place.tree
    roots = [tree] if everywhere else [n for n in ast.iter_child_nodes(tree) if _is_definition(n)]
    for root in roots:
        for node in _graded(root):
            for made in operator.change(node, place):
                yield node, made


def _is_definition(node: ast.AST) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.ClassDef))


def _graded(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that the contract speaks of: no annotations, docstrings, messages, or printing; and not
    the initial values of ``nn.init``, which are the learner's choice."""
    if isinstance(node, ast.FunctionDef) and node.name in UNSEEN_METHODS:
        return
    if isinstance(node, ast.JoinedStr):
        return
    if isinstance(node, ast.Expr):
        called = ast.unparse(node.value).partition("(")[0]
        documents = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        if documents or called == "print" or called.startswith(("nn.init", "init.")):
            return
    yield node
    if isinstance(node, ast.Raise):
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "msg"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _graded(child)


def _called(node: ast.AST, place: Place) -> str:
    """The argument that the node is: ``mean(keepdim)``; empty outside of calls."""
    word = ""
    for parent in place.above(node):
        if isinstance(parent, ast.stmt):
            break
        if isinstance(parent, ast.keyword):
            word = parent.arg or ""
        if isinstance(parent, ast.Call):
            return f"{ast.unparse(parent.func).rpartition('.')[2]}({word})"
    return ""


# -- a new text -------------------------------------------------------------------------------------


def replaced(text: str, place: Place, old: ast.AST, new: Made) -> str | None:
    """The text with one node replaced, its other lines as they are; None where that is no Python."""
    target = _dump_with(place, old, new)
    for changed in _texts(text, old, new):
        try:
            if ast.dump(ast.parse(changed)) == target:
                return changed
        except SyntaxError:
            continue
    return None


def _dump_with(place: Place, old: ast.AST, new: Made) -> str:
    """The tree with the new node, as the parser should read it."""
    parent, name, index = place.parents[old]
    if index is None:
        setattr(parent, name, new)
        try:
            return ast.dump(place.tree)
        finally:
            setattr(parent, name, old)
    siblings = getattr(parent, name)
    before = list(siblings)
    siblings[index : index + 1] = _nodes(new)
    try:
        return ast.dump(place.tree)
    finally:
        siblings[:] = before


def _nodes(new: Made) -> list[ast.AST]:
    return [*new] if isinstance(new, list) else [new]


def _texts(text: str, old: ast.AST, new: Made) -> Iterator[str]:
    """Ways to write the change; which one is right, the parser knows."""
    if isinstance(old, (ast.FunctionDef, ast.ClassDef)) and isinstance(new, list):
        kept = [d for n in new for d in getattr(n, "decorator_list", [])]
        gone = {d.lineno for d in old.decorator_list if d not in kept}
        yield "".join(line for at, line in enumerate(text.splitlines(keepends=True), 1) if at not in gone)
    for piece in _pieces(old, new):
        yield _spliced(text, old, piece)


def _pieces(old: ast.AST, new: Made) -> Iterator[str]:
    """How the new node may be written: as it is, or in parentheses."""
    if isinstance(new, list):
        indent = " " * old.col_offset  # type: ignore[attr-defined]
        yield textwrap.indent("\n".join(ast.unparse(s) for s in new), indent).lstrip()
        return
    piece = ast.unparse(new)
    yield piece
    yield f"({piece})"
    if piece.startswith("(") and piece.endswith(")"):
        yield piece[1:-1]


def _spliced(text: str, old: ast.AST, piece: str) -> str:
    lines = text.encode().splitlines(keepends=True)  # the parser counts columns in bytes
    first, last = old.lineno, old.end_lineno  # type: ignore[attr-defined]
    start, end = old.col_offset, old.end_col_offset  # type: ignore[attr-defined]
    decorators = getattr(old, "decorator_list", [])
    if decorators:  # a definition starts at its name for the parser, at its decorators for the reader
        first = decorators[0].lineno
    before = b"".join(lines[: first - 1]) + lines[first - 1][:start]
    after = lines[last - 1][end:] + b"".join(lines[last:])
    spliced: bytes = before + piece.encode() + after
    return spliced.decode()


def bare(diff: str) -> str:
    """Without blanks, quotes and parentheses: versions of Python write the same tree differently."""
    return re.sub(r"""[\s'"()]""", "", diff)


def difference(before: str, after: str) -> str:
    """The lines that differ, first those that went (``-``), without their numbers and indentation."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    changed = [f"{line[0]} {line[1:].strip()}" for line in lines if not line.startswith(("---", "+++", "@@"))]
    return "\n".join(sorted(changed, key=lambda line: line[0] == "+"))
