"""What an operator is: a small function over one node, with the examples that a test holds it to.

The manner is cosmic-ray's: an operator says what it makes of a node, and carries pairs of before and
after; registering it tests it (``tests/mutants``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

__all__ = ["OPERATORS", "Example", "Made", "Operator", "Place", "operator"]

Made = ast.AST | list[ast.stmt]  # what may stand in the place of a node; a list for a statement
Change = Callable[[ast.AST, "Place"], Iterator[Made]]


@dataclass(frozen=True)
class Example:
    """A piece of code, and everything that the operator makes of it, in order."""

    before: str
    after: tuple[str, ...]


@dataclass(frozen=True)
class Operator:
    """A kind of mutation."""

    name: str
    change: Change
    examples: tuple[Example, ...]

    @property
    def meaning(self) -> str:
        return (self.change.__doc__ or "").strip()


OPERATORS: dict[str, Operator] = {}


def operator(name: str, examples: Sequence[tuple[str, Sequence[str]]]) -> Callable[[Change], Change]:
    """Registers a function as an operator.  Of two that make the same, the first registered counts."""

    def register(change: Change) -> Change:
        assert name not in OPERATORS, name
        pairs = tuple(Example(before, tuple(after)) for before, after in examples)
        OPERATORS[name] = Operator(name, change, pairs)
        return change

    return register


@dataclass(frozen=True)
class Place:
    """Where the nodes of one tree stand."""

    tree: ast.AST
    parents: dict[ast.AST, tuple[ast.AST, str, int | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for node in ast.walk(self.tree):
            for name, value in ast.iter_fields(node):
                if isinstance(value, ast.AST):
                    self.parents[value] = (node, name, None)
                elif isinstance(value, list):
                    for index, item in enumerate(value):
                        if isinstance(item, ast.AST):
                            self.parents[item] = (node, name, index)

    def parent(self, node: ast.AST) -> ast.AST | None:
        return self.parents[node][0] if node in self.parents else None

    def field_of(self, node: ast.AST) -> str | None:
        """The name of the parent's field that holds the node."""
        return self.parents[node][1] if node in self.parents else None

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """The parent, its parent, and so on."""
        while (parent := self.parent(node)) is not None:
            yield parent
            node = parent

    def function(self, node: ast.AST) -> ast.FunctionDef | None:
        """The function that the node stands in."""
        return next((n for n in self.above(node) if isinstance(n, ast.FunctionDef)), None)

    def owner(self, node: ast.AST) -> ast.ClassDef | None:
        """The class that the node stands in."""
        return next((n for n in self.above(node) if isinstance(n, ast.ClassDef)), None)
