"""One file of a submission, and what its syntax tree tells without running it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from grader.exercises.registry import Entry, Exercise
from grader.submission.places import Places
from grader.text import Text

__all__ = ["Problem", "SourceFile"]


@dataclass(frozen=True)
class Problem:
    """Why a file cannot be graded: fault is an id, line is 1-based."""

    fault: str
    text: Text
    line: int | None = None


@dataclass(frozen=True)
class SourceFile:
    """One file of a submission; `tree` is None when there is a problem.

    places: where its lines are in the notebook that it was put together from; None for a file.
    """

    module: str
    name: str
    text: str
    tree: ast.Module | None
    problem: Problem | None = None
    places: Places | None = None

    def place(self, line: int | None) -> tuple[str | None, int | None]:
        """The file and the line that a reader knows: those of a notebook's cell."""
        return (self.name, line) if self.places is None else self.places.of(line)

    def unfinished(self, exercise: Exercise) -> dict[str, int]:
        """The entries (or their methods) whose body is still a TODO: name to line."""
        found: dict[str, int] = {}
        wanted = {entry.name for entry in exercise.entries}
        last = {n.name: n for n in self._body() if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        for node in last.values():  # a name that is defined twice is what its last definition says
            if node.name in wanted:
                for name, function, counts in _functions(node):
                    line = _todo_line(function, counts)
                    if line is not None:
                        found[name] = line
        return found

    def begun(self, exercise: Exercise) -> bool:
        """At least one entry has no TODO in itself, or (a class) in `__init__` and `forward`."""
        return any(self._finished(entry, self.unfinished(exercise)) for entry in exercise.entries)

    def _finished(self, entry: Entry, unfinished: Collection[str]) -> bool:
        return not {entry.name, f"{entry.name}.__init__", f"{entry.name}.forward"} & set(unfinished)

    def imports(self, among: Collection[str]) -> dict[str, int]:
        """Which of the modules named in `among` this file cannot do without: name to line.

        An import that is tried (`try: ... except ImportError`), or that only a type checker or a
        direct start of the file runs, is none of them.
        """
        found: dict[str, int] = {}
        for node in _certain(self._body()):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for name in names:
                if name.split(".")[0] in among:
                    found.setdefault(name.split(".")[0], node.lineno)
        return found

    def called(self) -> frozenset[str]:
        """The names of everything that is called in the file (the last part of a dotted name)."""
        found = set()
        for node in ast.walk(self.tree) if self.tree is not None else ():
            if isinstance(node, ast.Call):
                if isinstance(node.func, ast.Attribute):
                    found.add(node.func.attr)
                elif isinstance(node.func, ast.Name):
                    found.add(node.func.id)
        return frozenset(found)

    def defined(self) -> dict[str, int]:
        """The functions and classes of the file, and the names that are assigned: name to line.

        What counts is the last definition; one behind an `if` or a `try` counts as well.
        """
        return {name: node.lineno for node in _open(self._body()) for name in _names(node)}

    def definition_line(self, dotted: str) -> int | None:
        """The line on which a function, a class, or ``Class.method`` is defined.

        The line of the class where it does not define the method itself.
        """
        node = self.definition(dotted) or self.definition(dotted.partition(".")[0])
        return node.lineno if node is not None else None

    def definition(self, dotted: str) -> ast.stmt | None:
        """The last statement that defines a function, a class, or ``Class.method``."""
        body: Sequence[ast.stmt] = self._body()
        found: ast.stmt | None = None
        for name in dotted.split("."):
            found = next((n for n in reversed(list(_open(body))) if name in _names(n)), None)
            body = found.body if isinstance(found, ast.ClassDef) else []
        return found

    def endless_loop_line(self) -> int | None:
        """The line of the only `while` that runs at import, where there is exactly one."""
        found = [n.lineno for n in _open(self._body()) if isinstance(n, ast.While)]
        return found[0] if len(found) == 1 else None

    def only_words(self) -> bool:
        """Nothing but comments and strings."""
        return self.tree is not None and all(_is_inert(node) for node in self.tree.body)

    def _body(self) -> Sequence[ast.stmt]:
        return self.tree.body if self.tree is not None else []


def _open(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when the file is imported, those in blocks included, in their order."""
    for node in body:
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for part in ("body", "handlers", "orelse", "finalbody"):
            for inner in getattr(node, part, []):
                if isinstance(inner, ast.ExceptHandler):
                    yield from _open(inner.body)
                elif isinstance(inner, ast.stmt):
                    yield from _open([inner])


def _certain(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement in the file, except in a `try` with handlers and behind special conditions."""
    for node in body:
        yield node
        if isinstance(node, ast.Try) and node.handlers:
            continue
        if isinstance(node, ast.If) and {"__name__", "TYPE_CHECKING"} & _words(node.test):
            yield from _certain(node.orelse)
            continue
        for part in ("body", "orelse", "finalbody"):
            yield from _certain([n for n in getattr(node, part, []) if isinstance(n, ast.stmt)])


def _words(node: ast.expr) -> set[str]:
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return found | {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}


def _names(node: ast.stmt) -> list[str]:
    """The names that a statement defines or assigns."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        targets = [node.target]
    return [t.id for t in targets if isinstance(t, ast.Name)]


def _functions(node: ast.FunctionDef | ast.ClassDef) -> Iterator[tuple[str, ast.FunctionDef, bool]]:
    """Name, node, and whether an empty body means that it is not written."""
    if isinstance(node, ast.FunctionDef):
        yield node.name, node, True
        return
    last = {n.name: n for n in node.body if isinstance(n, ast.FunctionDef)}
    for method in last.values():  # a class may have an empty helper of its own
        yield f"{node.name}.{method.name}", method, method.name in ("__init__", "forward")


def _todo_line(function: ast.FunctionDef, counts: bool) -> int | None:
    """The line of the TODO, when the function ends in one or has nothing else in its body."""
    body = [n for n in function.body if not _is_inert(n)]
    if not body:
        return function.body[-1].lineno if counts else None
    if len(body) == 1 and isinstance(body[0], ast.Return) and _is_none(body[0].value):
        return body[0].lineno if counts else None
    for node in body:
        if isinstance(node, ast.Return):  # the skeleton's `raise` below a finished body does no harm
            return None
        if isinstance(node, ast.Raise) and node.exc is not None:
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if isinstance(raised, ast.Name) and raised.id == "NotImplementedError":
                return node.lineno
    return None


def _is_none(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def _is_inert(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
