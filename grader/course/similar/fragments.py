"""What a file consists of: its statements, and the expressions in them, as keys that can be compared."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from grader.course.similar.normal import Names, names_of, written

__all__ = ["Fragments", "fragments", "key_of"]

SMALLEST = 4  # nodes of an expression that is worth a key of its own
SILENT = ("print",)  # calls that change nothing of what is computed
LINE = tuple[int, int]


@dataclass(frozen=True)
class Fragments:
    """keys: how often each occurs; lines: the statements that it stands in, first and last line each."""

    keys: Counter[int]
    lines: dict[int, list[LINE]] = field(default_factory=dict)


def fragments(tree: ast.Module, public: frozenset[str]) -> Fragments:
    """`public`: the names that the exercise gives (see `normal.names_of`)."""
    tree = _InFull().visit(tree)
    names = names_of(tree, public)
    found: Counter[int] = Counter()
    lines: dict[int, list[LINE]] = {}
    for words, span in _walk(tree.body, names):
        key = key_of(words)
        found[key] += 1
        lines.setdefault(key, []).append(span)
    return Fragments(found, lines)


def key_of(words: str) -> int:
    """A number for a fragment, the same on every machine."""
    return int.from_bytes(blake2b(words.encode(), digest_size=6).digest(), "big")


def _walk(body: Sequence[ast.stmt], names: Names) -> Iterator[tuple[str, LINE]]:
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.Pass)) or _is_silent(node):
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            head = [*node.decorator_list]
            if not isinstance(node, ast.ClassDef):
                head += [d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None]
            for part in head:
                yield from _expressions(part, names, (node.lineno, node.lineno))
            yield from _walk(node.body, names)
            continue
        inner = [getattr(node, part, []) for part in ("body", "orelse", "finalbody")]
        inner += [handler.body for handler in getattr(node, "handlers", [])]
        if not any(inner):
            span = (node.lineno, node.end_lineno or node.lineno)
            whole = _statement(node, names)
            if whole is not None:
                yield whole, span
            yield from _expressions(node, names, span)
            continue
        heads = [getattr(node, part) for part in ("test", "target", "iter") if hasattr(node, part)]
        heads += [item.context_expr for item in getattr(node, "items", [])]
        words = ", ".join(written(h, names) for h in heads)
        yield f"{type(node).__name__} {words}", (node.lineno, node.lineno)
        for head in heads:
            yield from _expressions(head, names, (node.lineno, node.lineno))
        for block in inner:
            yield from _walk(block, names)


def _statement(node: ast.stmt, names: Names) -> str | None:
    """What is computed, whether it gets a name first or is returned at once; None for a bare name."""
    value = node.value if isinstance(node, (ast.Return, ast.Assign, ast.AnnAssign)) else None
    if isinstance(node, ast.Return) and (value is None or isinstance(value, ast.Name)):
        return None
    named = isinstance(node, ast.Return) or all(isinstance(t, ast.Name) for t in _targets(node))
    if value is not None and named:
        return f"value {written(value, names)}"
    return f"stmt {written(node, names)}"


def _targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.AnnAssign):
        return [node.target]
    return node.targets if isinstance(node, ast.Assign) else []


def _expressions(node: ast.AST, names: Names, span: LINE) -> Iterator[tuple[str, LINE]]:
    found: list[ast.expr] = []
    _large(node, found)
    for inner in found:
        yield written(inner, names), span


def _large(node: ast.AST, found: list[ast.expr]) -> int:
    """Collects the expressions that are large enough; how many are in the node.

    What is said to people, a formatted string, is looked at as a whole.
    """
    size = int(isinstance(node, ast.expr))
    if not isinstance(node, ast.JoinedStr):
        for child in ast.iter_child_nodes(node):
            size += _large(child, found)
    if size >= SMALLEST and isinstance(node, ast.expr):
        found.append(node)
    return size


class _InFull(ast.NodeTransformer):
    """``x += a`` as ``x = x + a``."""

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.Assign:
        return ast.copy_location(ast.Assign([node.target], ast.BinOp(node.target, node.op, node.value)), node)


def _is_silent(node: ast.stmt) -> bool:
    """A docstring, or something that is printed."""
    if not isinstance(node, ast.Expr):
        return False
    if isinstance(node.value, ast.Constant):
        return True
    call = node.value
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in SILENT
