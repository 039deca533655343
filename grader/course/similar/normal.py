"""A syntax tree written in one way only: two texts that differ in names, comments, formatting, types,
imports or the order of operands give the same words."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

__all__ = ["Names", "names_of", "written"]

BUILTINS = frozenset(dir(builtins))
SIDES = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)  # whose operands may change sides
TURNED: Mapping[type[ast.cmpop], str] = {ast.Gt: "Lt", ast.GtE: "LtE"}
NAMELESS = "_"
IGNORED = ("ctx", "type_comment", "type_ignores", "annotation", "returns", "type_params", "kind")


@dataclass(frozen=True)
class Names:
    """own: names that the author has chosen; modules: what an imported name stands for; known: how nodes
    of this tree are written, so that a long sum is not written anew for each of its terms."""

    own: frozenset[str]
    modules: Mapping[str, str]
    known: dict[int, str] = field(default_factory=dict, compare=False)


def names_of(tree: ast.Module, public: frozenset[str]) -> Names:
    """`public`: the names of the exercise, which nobody has chosen."""
    own: set[str] = set()
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                modules[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                modules[alias.asname or alias.name] = f"{node.module or ''}.{alias.name}"
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            own.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            own.add(node.attr)
        elif isinstance(node, ast.Call) and _registers(node):
            own.add(str(node.args[0].value))  # type: ignore[attr-defined]
    return Names(frozenset(own - public), modules)


def _registers(node: ast.Call) -> bool:
    """``self.register_buffer("name", ...)``."""
    return (
        isinstance(node.func, ast.Attribute)
        and node.func.attr.startswith("register_")
        and bool(node.args)
        and isinstance(node.args[0], ast.Constant)
    )


def written(node: ast.AST, names: Names) -> str:
    """The one way of writing a node."""
    key = id(node)
    if key not in names.known:
        names.known[key] = _written(node, names)
    return names.known[key]


def _written(node: ast.AST, names: Names) -> str:
    if isinstance(node, ast.Name):
        return _name(node.id, names)
    if isinstance(node, ast.arg):
        return NAMELESS
    if isinstance(node, ast.Attribute):
        whole = _dotted(node, names)
        if whole is not None:
            return whole
        attribute = NAMELESS if node.attr in names.own else node.attr
        return f"{written(node.value, names)}.{attribute}"
    if isinstance(node, ast.Constant):
        return "'s'" if isinstance(node.value, (str, bytes)) else repr(node.value)
    if isinstance(node, ast.JoinedStr):
        return "'s'"
    if (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
    ):
        return f"-{node.operand.value!r}"
    if isinstance(node, ast.BinOp):
        sides = [written(node.left, names), written(node.right, names)]
        if isinstance(node.op, SIDES):
            sides.sort()
        return f"({sides[0]} {type(node.op).__name__} {sides[1]})"
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = written(node.left, names), written(node.comparators[0], names)
        operator = type(node.ops[0])
        if operator in TURNED:
            return f"({right} {TURNED[operator]} {left})"
        return f"({left} {operator.__name__} {right})"
    if isinstance(node, ast.Call):
        given = [written(a, names) for a in node.args]
        given += sorted(f"{k.arg}={written(k.value, names)}" for k in node.keywords)
        return f"{written(node.func, names)}({', '.join(given)})"
    if isinstance(node, ast.AnnAssign):
        value = written(node.value, names) if node.value is not None else ""
        return f"Assign({written(node.target, names)}, {value})"
    if isinstance(node, ast.Assign):
        targets = ", ".join(written(t, names) for t in node.targets)
        return f"Assign({targets}, {written(node.value, names)})"
    return f"{type(node).__name__}({', '.join(_fields(node, names))})"


def _fields(node: ast.AST, names: Names) -> Iterator[str]:
    for name, value in ast.iter_fields(node):
        if name in IGNORED or value is None:
            continue
        if isinstance(value, ast.AST):
            yield written(value, names)
        elif isinstance(value, list):
            yield f"[{', '.join(written(v, names) for v in value if isinstance(v, ast.AST))}]"
        elif name in ("name", "attr", "id", "arg"):
            yield _name(str(value), names)


def _name(name: str, names: Names) -> str:
    if name in names.modules:
        return names.modules[name]
    return name if name in BUILTINS or name == "self" else NAMELESS


def _dotted(node: ast.Attribute, names: Names) -> str | None:
    """``torch.nn.Linear`` for ``nn.Linear``, by whatever name it was imported."""
    parts: list[str] = []
    inner: ast.expr = node
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    if not isinstance(inner, ast.Name) or inner.id not in names.modules:
        return None
    return ".".join([names.modules[inner.id], *reversed(parts)])
