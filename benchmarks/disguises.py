"""Ways in which a copied file is changed so that it looks like one's own; each gives a text that computes
the same.  For the calibration of `grade similar`."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Callable, Mapping

__all__ = ["DISGUISES", "disguised"]

WORDS = ("tmp", "val", "res", "data", "arr", "out_", "step", "part", "mat", "vec", "thing", "item")


class _Renaming(ast.NodeTransformer):
    """Renames what functions assign, and private helpers; parameters are called by their names."""

    def __init__(self, tree: ast.Module) -> None:
        kept = {a.arg for n in ast.walk(tree) if isinstance(n, ast.arguments) for a in _arguments(n)}
        kept |= set(dir(builtins)) | set(keyword.kwlist) | _imported(tree) | _top(tree) | _declared(tree)
        stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        names = sorted(stored - kept)
        self.new = {name: f"{WORDS[i % len(WORDS)]}{i}" for i, name in enumerate(names)}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.new.get(node.id, node.id)
        return node


class _Extracting(ast.NodeTransformer):
    """``return a`` becomes ``result = a; return result``, and ``x += 1`` becomes ``x = x + 1``."""

    def visit_Return(self, node: ast.Return) -> list[ast.stmt] | ast.Return:
        if node.value is None or isinstance(node.value, (ast.Name, ast.Constant)):
            return node
        target = ast.Name("result_", ast.Store())
        return [ast.Assign([target], node.value), ast.Return(ast.Name("result_", ast.Load()))]

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        if not isinstance(node.target, ast.Name):
            return node  # on a tensor's part it is another thing
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node


def _arguments(node: ast.arguments) -> list[ast.arg]:
    more = [a for a in (node.vararg, node.kwarg) if a is not None]
    return [*node.posonlyargs, *node.args, *node.kwonlyargs, *more]


def _imported(tree: ast.Module) -> set[str]:
    found = (a for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names)
    return {(a.asname or a.name).split(".")[0] for a in found}


def _declared(tree: ast.Module) -> set[str]:
    nodes = (n for n in ast.walk(tree) if isinstance(n, (ast.Global, ast.Nonlocal)))
    return {name for n in nodes for name in n.names}


def _top(tree: ast.AST) -> set[str]:
    """Names of a module or a class: others may know them."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef)):
            for inner in node.body:
                found |= {n.id for n in ast.walk(inner) if isinstance(n, ast.Name) and _stored(inner, n)}
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
    return found


def _stored(statement: ast.stmt, node: ast.Name) -> bool:
    simple = isinstance(statement, (ast.Assign, ast.AnnAssign, ast.For, ast.With, ast.If, ast.Try))
    return simple and isinstance(node.ctx, ast.Store)


def reformatted(text: str) -> str:
    """Other line breaks, quotes and brackets; no comments."""
    return ast.unparse(ast.parse(text))


def renamed(text: str) -> str:
    """Every variable of a function has another name."""
    tree = ast.parse(text)
    return ast.unparse(ast.fix_missing_locations(_Renaming(tree).visit(tree)))


def commented(text: str) -> str:
    """Other comments and docstrings."""
    lines = []
    for line in re.sub(r"#.*", "", text).splitlines():
        lines.append(line)
        if line.rstrip().endswith(":") and line.lstrip().startswith("def ") and "(" in line:
            indent = " " * (len(line) - len(line.lstrip()) + 4)
            lines.append(f"{indent}# my own idea: first think about the shapes")
    return "\n".join(lines) + "\n"


def reordered(text: str) -> str:
    """Methods, functions without decorators, and independent neighbours change places."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            node.body = _turned(node.body)
        if isinstance(node, ast.FunctionDef):
            node.body = _swapped(node.body)
    return ast.unparse(tree)


def _turned(body: list[ast.stmt]) -> list[ast.stmt]:
    methods = [n for n in body if isinstance(n, ast.FunctionDef) and not n.decorator_list]
    if len({m.name for m in methods}) < len(methods):
        return body
    turned = iter(reversed(methods))
    return [next(turned) if n in methods else n for n in body]


def _swapped(body: list[ast.stmt]) -> list[ast.stmt]:
    body = list(body)
    for i in range(len(body) - 1):
        if all(isinstance(n, ast.Assign) for n in body[i : i + 2]) and _independent(body[i], body[i + 1]):
            body[i], body[i + 1] = body[i + 1], body[i]
    return body


def _independent(one: ast.stmt, other: ast.stmt) -> bool:
    if any(isinstance(n, (ast.Call, ast.Subscript)) for n in ast.walk(one)):
        return False
    return not _used(one, ast.Store) & _used(other) and not _used(other, ast.Store) & _used(one)


def _used(node: ast.stmt, context: type[ast.expr_context] = ast.expr_context) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}


def extracted(text: str) -> str:
    """What is returned gets a name first."""
    tree = ast.parse(text)
    return ast.unparse(ast.fix_missing_locations(_Extracting().visit(tree)))


def chatty(text: str) -> str:
    """Prints in every function."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body.insert(1 if ast.get_docstring(node) else 0, ast.parse("print('here')").body[0])
    return ast.unparse(ast.fix_missing_locations(tree))


DISGUISES: Mapping[str, Callable[[str], str]] = {
    "reformatted": reformatted,
    "renamed": renamed,
    "commented": commented,
    "reordered": reordered,
    "extracted": extracted,
    "chatty": chatty,
    "all of them": lambda text: disguised(text),
}


def disguised(text: str) -> str:
    """All of them."""
    for change in (reordered, extracted, renamed, chatty, reformatted):
        text = change(text)
    return text
