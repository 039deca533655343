"""Small words for looking at syntax trees and building new nodes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

__all__ = [
    "assigned",
    "call_name",
    "expression",
    "is_method",
    "is_self",
    "like",
    "method",
    "negated",
    "number_of",
    "numeral",
    "parameters",
    "receiver",
    "without",
]

N = TypeVar("N", bound=ast.AST)
# modules whose functions take the tensor as their first argument
LIBRARIES = ("torch", "F", "math", "np", "functional", "nn", "linalg", "einops")


def expression(text: str) -> ast.expr:
    """The expression that the text is."""
    return ast.parse(text, mode="eval").body


def like(node: N, **changes: Any) -> N:
    """The node with some fields changed; the others are shared."""
    return ast.copy_location(type(node)(**{**dict(ast.iter_fields(node)), **changes}), node)


def without(items: Sequence[Any], index: int) -> list[Any]:
    """The items but one."""
    return [item for i, item in enumerate(items) if i != index]


def call_name(node: ast.AST) -> str:
    """The last part of the name that is called: ``softmax`` of ``F.softmax(x)``; empty if none."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def receiver(node: ast.Call) -> ast.expr | None:
    """``x`` of ``x.f()``; None for ``f()`` and for functions of a library, ``torch.f()``."""
    if not isinstance(node.func, ast.Attribute):
        return None
    value = node.func.value
    last = value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", None)
    return None if last in LIBRARIES else value


def is_method(node: ast.Call) -> bool:
    """Whether it is called on an object rather than taken from a library."""
    return receiver(node) is not None


def is_self(node: ast.AST) -> bool:
    """``self.NAME``."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def method(value: ast.expr, name: str, *args: ast.expr) -> ast.Call:
    """``value.name(args)``."""
    return ast.Call(ast.Attribute(value, name, ast.Load()), list(args), [])


def negated(node: ast.expr) -> ast.expr:
    """``not node``."""
    return ast.UnaryOp(ast.Not(), node)


def number_of(node: ast.AST) -> int | float | None:
    """The number that the node is, with its sign; None for what is none."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number_of(node.operand) if isinstance(node.operand, ast.Constant) else None
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value  # type: ignore[return-value]
    return None


def numeral(value: int | float) -> ast.expr:
    """The node that is this number."""
    return expression(repr(value))


def parameters(function: ast.FunctionDef | ast.Lambda) -> list[str]:
    """The names of the parameters, without ``self``."""
    spec = function.args
    return [a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs) if a.arg not in ("self", "cls")]


def assigned(target: ast.expr) -> Iterator[ast.expr]:
    """The single targets of an assignment: ``a`` and ``b`` of ``a, b = …``."""
    if isinstance(target, (ast.Tuple, ast.List)):
        for item in target.elts:
            yield from assigned(item)
    else:
        yield target
