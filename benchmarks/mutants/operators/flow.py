"""Statements: what runs, how often, and what comes out."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.mutants.operators.registry import Made, Place, operator
from benchmarks.mutants.operators.syntax import assigned, expression, like, method, number_of, without


@operator(
    "delete-statement",
    [
        ("x += 1", ["pass"]),
        ("raise ValueError", ["pass"]),
        ("super().__init__()", ["pass"]),
        ("self.a = b", ["pass"]),
        ("x = f(x)", ["pass"]),
        ("x = y", []),
        ("if a:\n    b()", ["pass", "if a:\n    pass"]),
        ("'a docstring'", []),
    ],
)
def delete_statement(node: ast.AST, place: Place) -> Iterator[Made]:
    """A statement is left out (not the one that first gives a name its value: that is a plain error)."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, (ast.AugAssign, ast.Raise, ast.Assert, ast.Expr, ast.If, ast.For, ast.Continue)):
        yield [ast.Pass()]
    if isinstance(node, ast.Assign):
        targets = [t for target in node.targets for t in assigned(target)]
        if all(not isinstance(t, ast.Name) or _bound_before(t, node, place) for t in targets):
            yield [ast.Pass()]


def _bound_before(name: ast.Name, statement: ast.Assign, place: Place) -> bool:
    """Whether the assignment gives a new value to a name that has one."""
    function = place.function(statement)
    if any(isinstance(n, ast.Name) and n.id == name.id for n in ast.walk(statement.value)):
        return True
    if function is None:
        return False
    earlier = (
        n.lineno < statement.lineno
        for n in ast.walk(function)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id == name.id
    )
    return any(earlier) or any(a.arg == name.id for a in function.args.args)


@operator(
    "swap-branches",
    [
        ("if a:\n    b()\nelse:\n    c()", ["if a:\n    c()\nelse:\n    b()"]),
        ("if a:\n    b()", []),
        ("b if a else c", ["c if a else b"]),
    ],
)
def swap_branches(node: ast.AST, place: Place) -> Iterator[Made]:
    """What is done if, and what otherwise, are exchanged."""
    if isinstance(node, ast.If) and node.orelse and not isinstance(node.orelse[0], ast.If):
        yield [like(node, body=node.orelse, orelse=node.body)]
    if isinstance(node, ast.IfExp):
        yield like(node, body=node.orelse, orelse=node.body)


@operator(
    "loop",
    [
        (
            "for i in range(n): f(i)",
            [
                "for i in range(n):\n    f(i)\n    break",
                "for i in range(0): f(i)",
                "for i in range(n - 1): f(i)",
                "for i in range(1, n): f(i)",
            ],
        ),
        (
            "for f in fs: x = f(x)",
            [
                "for f in fs:\n    x = f(x)\n    break",
                "for f in list(fs)[:0]: x = f(x)",
                "for f in list(fs)[:-1]: x = f(x)",
                "for f in list(fs)[1:]: x = f(x)",
                "for f in list(fs)[::-1]: x = f(x)",
            ],
        ),
        ("[f(i) for i in range(n)]", ["[f(i) for i in range(n - 1)]", "[f(i) for i in range(1, n)]"]),
    ],
)
def loop(node: ast.AST, place: Place) -> Iterator[Made]:
    """A loop that does not run, runs once too few, or the other way round."""
    parent = place.parent(node)
    if isinstance(node, ast.expr) and place.field_of(node) == "iter":
        whole = isinstance(parent, ast.For)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range":
            if whole:
                yield like(node, args=[expression("0")])
            if len(node.args) == 1:
                yield like(node, args=[ast.BinOp(node.args[0], ast.Sub(), expression("1"))])
                yield like(node, args=[expression("1"), node.args[0]])
        elif whole:
            listed = ast.Call(ast.Name("list", ast.Load()), [node], [])
            for part in ("x[:0]", "x[:-1]", "x[1:]", "x[::-1]"):
                subscript = expression(part)
                assert isinstance(subscript, ast.Subscript)
                yield like(subscript, value=listed)
    if isinstance(node, ast.For):
        yield [like(node, body=[*node.body, ast.Break()])]


@operator(
    "return-value",
    [
        ("return a, b", ["return b, a", "return b", "return a"]),
        ("return a", []),
        ("return (a, b, c)", ["return c, b, a", "return b, c", "return a, c", "return a, b"]),
    ],
)
def return_value(node: ast.AST, place: Place) -> Iterator[Made]:
    """What is returned together comes in the other order, or lacks one."""
    if isinstance(node, ast.Tuple) and isinstance(place.parent(node), ast.Return):
        yield like(node, elts=node.elts[::-1])
        for i in range(len(node.elts)):
            rest = without(node.elts, i)
            yield rest[0] if len(rest) == 1 else like(node, elts=rest)


@operator(
    "decorator",
    [
        ("@staticmethod\ndef f(x): pass", ["def f(x): pass"]),
        ("@a\n@b\ndef f(x): pass", ["@b\ndef f(x): pass", "@a\ndef f(x): pass"]),
        ("def f(x): pass", []),
    ],
)
def decorator(node: ast.AST, place: Place) -> Iterator[Made]:
    """A decorator is dropped."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        for i in range(len(node.decorator_list)):
            yield [like(node, decorator_list=without(node.decorator_list, i))]


@operator(
    "exception",
    [
        ("raise ValueError('a')", ["raise RuntimeError('a')"]),
        ("raise ValueError", ["raise RuntimeError"]),
        ("raise error", []),
    ],
)
def exception(node: ast.AST, place: Place) -> Iterator[Made]:
    """Another kind of exception."""
    if not isinstance(node, ast.Raise) or node.exc is None:
        return
    kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    if isinstance(kind, ast.Name) and kind.id in ("ValueError", "AssertionError"):
        other = ast.Name("RuntimeError", ast.Load())
        yield [like(node, exc=like(node.exc, func=other) if isinstance(node.exc, ast.Call) else other)]


@operator(
    "training",
    [
        ("F.dropout(x, p, self.training)", ["F.dropout(x, p, True)", "F.dropout(x, p, False)"]),
        ("if self.training: a()", ["if True: a()", "if False: a()"]),
    ],
)
def training(node: ast.AST, place: Place) -> Iterator[Made]:
    """Always, or never, as in training."""
    if isinstance(node, ast.Attribute) and node.attr == "training" and isinstance(node.ctx, ast.Load):
        yield ast.Constant(True)
        yield ast.Constant(False)


SHAPELY = ("shape", "size", "dim", "ndim", "len", "int", "range", "bool", "device", "dtype", "keep", "mask")


@operator(
    "detach",
    [
        ("y = x @ w", ["y = (x @ w).detach()"]),
        ("return x, w", ["return x.detach(), w", "return x, w.detach()"]),
        ("return x.softmax(-1)", ["return x.softmax(-1).detach()"]),
        ("y = x.size(0) * 2", []),
        ("y = 1", []),
    ],
)
def detach(node: ast.AST, place: Place) -> Iterator[Made]:
    """The graph is cut off."""
    parent = place.parent(node)
    if not isinstance(node, (ast.Call, ast.BinOp, ast.Name)) or place.field_of(node) not in ("value", "elts"):
        return
    if isinstance(parent, ast.Tuple):
        returned = isinstance(place.parent(parent), ast.Return)
    else:
        returned = isinstance(parent, ast.Return)
    computed = isinstance(parent, ast.Assign) and isinstance(node, (ast.Call, ast.BinOp))
    if returned or (computed and isinstance(parent.targets[0], ast.Name)):  # type: ignore[union-attr]
        words = {getattr(n, "id", None) or getattr(n, "attr", None) for n in ast.walk(node)}
        numbers = number_of(node) is not None or {"math", "nn", "float", "isinstance"} & words
        if not numbers and not (computed and words & set(SHAPELY)):
            yield method(node, "detach")
