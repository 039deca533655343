"""The statements of a cell that define something, and the names that each of them stands on.

Only imports, functions, classes and simple assignments are pieces.  Loops, calls, plots and training are
none: they are never part of a module, and so they are never run.
"""

from __future__ import annotations

import ast
import builtins
import symtable
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

__all__ = ["Piece", "leftovers", "pieces_of"]

FUTURE = "__future__"
# what an assignment may call besides what it imports: builtins that only make a value
MAKERS = frozenset(
    {
        "abs",
        "bool",
        "bytes",
        "complex",
        "dict",
        "divmod",
        "enumerate",
        "float",
        "frozenset",
        "int",
        "len",
        "list",
        "max",
        "min",
        "object",
        "pow",
        "range",
        "reversed",
        "round",
        "set",
        "slice",
        "sorted",
        "str",
        "sum",
        "tuple",
        "type",
        "zip",
        "staticmethod",
        "classmethod",
        "property",
    }
)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True)
class Piece:
    """One statement.

    kind: ``future``, ``import``, ``star``, ``definition``, ``constant`` or ``patch`` (changes what its
    `binds` name, and does not replace it); binds: the names that it defines; calls: the names that a
    constant calls, or calls a method of; record: a class that only holds values.
    """

    kind: str
    text: str
    line: int
    binds: frozenset[str]
    calls: frozenset[str] = frozenset()
    record: bool = False

    @cached_property
    def needs(self) -> tuple[frozenset[str], frozenset[str]]:
        """The names that must be there when it runs, and those that its functions look up when called.

        Worked out only for what becomes part of a module.
        """
        if self.kind in ("future", "import", "star"):
            return frozenset(), frozenset()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return _looked_up(symtable.symtable(self.text, "cell", "exec"))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            # such as `return` outside a function, which only a compiler notices: the module will say so
            return frozenset(), frozenset()


def pieces_of(tree: ast.Module, text: str) -> tuple[Piece, ...]:
    """The pieces of a cell, in its order."""
    lines = text.split("\n")
    return tuple(piece for node in tree.body for piece in _pieces(node, lines))


def leftovers(tree: ast.Module) -> dict[str, int]:
    """The names that the other statements assign, each with the line: these are not run."""
    found: dict[str, int] = {}
    for node in tree.body:
        if isinstance(
            node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
        ):
            continue
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                found[inner.id] = inner.lineno
    return found


def _pieces(node: ast.stmt, lines: list[str]) -> Iterator[Piece]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from _imports(node)
        return
    kind = _kind(node)
    if kind is None:
        return
    text, line = _segment(node, lines), _first_line(node)
    bound, patched = frozenset(_bound(node)), _patched(node)
    if patched:
        yield Piece("patch", text, line, bound | patched)
    else:
        yield Piece(kind, text, line, bound, frozenset(_called(node)), _is_record(node))


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[Piece]:
    """One piece a name: a module needs `torch`, and not what else is imported in the same line."""
    for alias in node.names:
        line = alias.lineno
        name = f"{alias.name} as {alias.asname}" if alias.asname else alias.name
        if isinstance(node, ast.Import):
            bound = alias.asname or alias.name.split(".")[0]
            yield Piece("import", f"import {name}", line, frozenset({bound}))
            continue
        source = "." * node.level + (node.module or "")
        text = f"from {source} import {name}"
        if source == FUTURE:
            yield Piece("future", text, line, frozenset())
        elif alias.name == "*":
            yield Piece("star", text, line, frozenset())
        else:
            yield Piece("import", text, line, frozenset({alias.asname or alias.name}))


# -- what is a piece --------------------------------------------------------------------------------


def _kind(node: ast.stmt) -> str | None:
    if isinstance(node, DEFINITIONS):
        return "definition"
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return "constant" if node.value is not None and _simple(node.value) else None
    if isinstance(node, (ast.If, ast.Try)):
        kinds = [_kind_within(inner) for inner in _inner(node)]
        if all(kinds) and (not isinstance(node, ast.If) or _simple(node.test)):
            return "definition"
    return None


def _kind_within(node: ast.stmt) -> str | None:
    inert = isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )
    return "import" if inert or isinstance(node, (ast.Import, ast.ImportFrom)) else _kind(node)


def _inner(node: ast.If | ast.Try) -> list[ast.stmt]:
    found = [*node.body, *node.orelse]
    if isinstance(node, ast.Try):
        found += [*node.finalbody, *(s for handler in node.handlers for s in handler.body)]
    return found


def _simple(value: ast.expr) -> bool:
    """Whether an expression does nothing but make a value; whose calls they are is seen later."""
    for node in _now(value):
        if isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)):
            return False
        if isinstance(node, ast.Call):
            root = _root(node.func)
            if root is None or (root in BUILTINS and root not in MAKERS):
                return False
    return True


def _called(node: ast.stmt) -> Iterator[str]:
    """The names, other than builtins, that an assignment calls when it runs."""
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        for inner in _now(node.value):
            root = _root(inner.func) if isinstance(inner, ast.Call) else None
            if root and root not in MAKERS:
                yield root


def _now(value: ast.AST) -> Iterator[ast.AST]:
    """What is evaluated at once: not what a lambda does when it is called."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def _root(node: ast.expr) -> str | None:
    """``torch`` of ``torch.ones(3).tril``, an empty one of ``"a".join``; None where it is no such chain."""
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    if isinstance(node, ast.Constant):
        return ""
    return node.id if isinstance(node, ast.Name) else None


def _is_record(node: ast.stmt) -> bool:
    """A class that holds values, such as a configuration: making one runs nothing of the exercise."""
    if not isinstance(node, ast.ClassDef):
        return False
    inner = [part for base in node.bases for part in ast.walk(base)]
    names = [str(getattr(part, "id", None) or getattr(part, "attr", "")) for part in inner]
    return not any("Module" in name for name in names)


# -- its names --------------------------------------------------------------------------------------


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, DEFINITIONS):
        yield node.name
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name) and _is_store(n))
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (a.asname or a.name.split(".")[0] for a in node.names)
    elif isinstance(node, (ast.If, ast.Try)):
        for inner in _inner(node):
            yield from _bound(inner)


def _is_store(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _patched(node: ast.stmt) -> frozenset[str]:
    """The names whose object the statement changes: ``Block.forward = forward``, ``@add_to(Block)``."""
    if isinstance(node, ast.Assign):
        parts = (t.value for t in node.targets if isinstance(t, (ast.Attribute, ast.Subscript)))
        return frozenset(root for part in parts if (root := _root(part)))
    if isinstance(node, ast.FunctionDef):
        calls = [d for d in node.decorator_list if isinstance(d, ast.Call)]
        return frozenset(a.id for call in calls for a in call.args if isinstance(a, ast.Name))
    return frozenset()


def _looked_up(table: symtable.SymbolTable) -> tuple[frozenset[str], frozenset[str]]:
    """The module's names that are looked up at once, and those that functions look up later."""
    eager: set[str] = set()
    lazy: set[str] = set()

    def visit(part: symtable.SymbolTable, later: bool) -> None:
        later = later or (part.get_type() == "function" and part.get_name() not in COMPREHENSIONS)
        top = part.get_type() == "module"
        for symbol in part.get_symbols():
            if symbol.is_referenced() and (top or symbol.is_global()):
                (lazy if later else eager).add(symbol.get_name())
        for child in part.get_children():
            visit(child, later)

    visit(table, False)
    return frozenset(eager), frozenset(lazy)


COMPREHENSIONS = frozenset({"listcomp", "setcomp", "dictcomp", "genexpr"})


# -- its text ---------------------------------------------------------------------------------------


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])


def _segment(node: ast.stmt, lines: list[str]) -> str:
    """The text of a statement; whole lines, except where several statements share one."""
    first, last = _first_line(node), node.end_lineno or node.lineno
    chosen = lines[first - 1 : last]
    if node.end_col_offset is not None:
        rest = _cut(chosen[-1], node.end_col_offset, None).strip()
        if rest and not rest.startswith("#"):
            chosen[-1] = _cut(chosen[-1], 0, node.end_col_offset)
    if first == node.lineno and node.col_offset:  # behind a semicolon
        chosen[0] = _cut(chosen[0], node.col_offset, None)
    return "\n".join(chosen)


def _cut(line: str, start: int, end: int | None) -> str:
    """Part of a line by offsets in bytes, as the syntax tree counts."""
    return line.encode("utf-8", "surrogatepass")[start:end].decode("utf-8", "replace")
