"""Values: arithmetic, comparisons, conditions, constants, infinity."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.mutants.operators.registry import Made, Place, operator
from benchmarks.mutants.operators.syntax import (
    call_name,
    expression,
    like,
    method,
    negated,
    number_of,
    numeral,
    receiver,
)

ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div, ast.Mult),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitAnd,),
}
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}


@operator(
    "infinity",
    [
        ("float('-inf')", ["0.0", "-1.0", "-100.0", "-1000000000.0", "float('inf')"]),
        ("-math.inf", ["0.0", "-1.0", "-100.0", "-1000000000.0", "float('inf')"]),
        ("-1e9", ["0.0", "-1.0", "-100.0", "float('-inf')", "float('inf')"]),
        (
            "torch.finfo(x.dtype).min",
            ["0.0", "-1.0", "-100.0", "-1000000000.0", "float('-inf')", "float('inf')"],
        ),
        ("-1", []),
    ],
)
def infinity(node: ast.AST, place: Place) -> Iterator[Made]:
    """What stands for minus infinity is another number."""
    if not isinstance(node, ast.expr):
        return
    text = ast.unparse(node)
    value = number_of(node)
    large = value is not None and value <= -1e3
    infinite = text in ("float('-inf')", "-float('inf')", "-math.inf", "-torch.inf", "-inf")
    if not (large or infinite or (text.startswith("torch.finfo(") and text.endswith(").min"))):
        return
    for other in ("0.0", "-1.0", "-100.0", "-1000000000.0", "float('-inf')", "float('inf')"):
        same = (infinite and other == "float('-inf')") or (large and other.startswith("-1000"))
        if not same:
            yield expression(other)


@operator(
    "power",
    [
        ("x ** 0.5", ["x ** 1", "x ** -0.5", "x ** 2"]),
        ("x ** -0.5", ["x ** -1", "x ** 0.5", "x ** -2"]),
        ("x ** 2", ["x ** 1", "x ** 3"]),
        ("10000 ** (i / d)", ["10000 ** -(i / d)"]),
    ],
)
def power(node: ast.AST, place: Place) -> Iterator[Made]:
    """An exponent is another."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Pow):
        return
    exponent = number_of(node.right)
    if exponent is None:
        yield like(node, right=ast.UnaryOp(ast.USub(), node.right))
        return
    others: tuple[float, ...] = (exponent - 1, exponent + 1)
    if abs(exponent) == 0.5:
        others = (int(exponent * 2), -exponent, int(exponent * 4))
    for other in others:
        yield like(node, right=numeral(other))


@operator(
    "residual",
    [
        ("x + self.f(x)", ["self.f(x)", "x"]),
        ("torch.add(x, y)", ["y", "x"]),
        ("x * y", []),
    ],
)
def residual(node: ast.AST, place: Place) -> Iterator[Made]:
    """One side of a sum is left out."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield node.right
        yield node.left
    if call_name(node) == "add" and isinstance(node, ast.Call):
        inner = receiver(node)
        pair = node.args if inner is None else [inner, *node.args]
        if len(pair) == 2:
            yield pair[1]
            yield pair[0]


@operator(
    "operand",
    [
        ("x / s", ["x", "s"]),
        ("x - y", ["x", "y"]),
        ("a and b", ["a", "b"]),
        ("a & b", ["a", "b"]),
        ("x + y", []),
    ],
)
def operand(node: ast.AST, place: Place) -> Iterator[Made]:
    """One side of any other operation is left out."""
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add):
        yield node.left
        yield node.right
    if isinstance(node, ast.BoolOp) and len(node.values) == 2:
        yield from node.values


@operator(
    "operand-order",
    [("a - b", ["b - a"]), ("a @ b", ["b @ a"]), ("a / b", ["b / a"]), ("a + b", [])],
)
def operand_order(node: ast.AST, place: Place) -> Iterator[Made]:
    """The two sides of an operation are exchanged."""
    ordered = (ast.Sub, ast.Div, ast.MatMult, ast.Pow, ast.FloorDiv, ast.Mod)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ordered):
        yield like(node, left=node.right, right=node.left)


@operator(
    "arithmetic",
    [
        ("a + b", ["a - b", "a * b"]),
        ("a / b", ["a * b", "a // b"]),
        ("a & b", ["a | b"]),
        ("a += b", ["a -= b", "a *= b"]),
        ("a @ b", []),
    ],
)
def arithmetic(node: ast.AST, place: Place) -> Iterator[Made]:
    """One arithmetic operator for another."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        for other in ARITHMETIC.get(type(node.op), ()):
            changed = like(node, op=other())
            if isinstance(changed, ast.AugAssign):
                yield [changed]
            else:
                yield changed


@operator(
    "comparison",
    [
        ("a == b", ["a != b"]),
        ("a < b", ["a <= b", "a > b"]),
        ("a is None", ["a is not None"]),
        ("mask.eq(0)", ["mask.ne(0)"]),
        ("mask > 0", ["mask >= 0", "mask < 0"]),
    ],
)
def comparison(node: ast.AST, place: Place) -> Iterator[Made]:
    """One comparison for another."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in COMPARISONS.get(type(node.ops[0]), ()):
            yield like(node, ops=[other()])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = {"eq": "ne", "ne": "eq", "gt": "ge", "lt": "le", "ge": "gt", "le": "lt"}.get(node.func.attr)
        if name is not None:
            yield like(node, func=like(node.func, attr=name))


@operator(
    "condition",
    [
        ("if a: b", ["if not a: b", "if True: b", "if False: b"]),
        ("x if a else y", ["x if not a else y", "x", "y"]),
        ("if not a: b", ["if a: b", "if True: b", "if False: b"]),
    ],
)
def condition(node: ast.AST, place: Place) -> Iterator[Made]:
    """A condition is negated, or always or never met."""
    if isinstance(node, ast.IfExp):
        yield like(node, test=_opposite(node.test))
        yield node.body
        yield node.orelse
    tested = isinstance(place.parent(node), ast.If) and place.field_of(node) == "test"
    if tested and isinstance(node, ast.expr):
        yield _opposite(node)
        yield ast.Constant(True)
        yield ast.Constant(False)


def _opposite(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return negated(test)


@operator(
    "boolean",
    [("a and b", ["a or b"]), ("not a", ["a"]), ("a or b", ["a and b"]), ("-a", ["a"]), ("~a", ["a"])],
)
def boolean(node: ast.AST, place: Place) -> Iterator[Made]:
    """``and`` for ``or``; a negation of any kind is dropped."""
    if isinstance(node, ast.BoolOp):
        yield like(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    if isinstance(node, ast.UnaryOp) and number_of(node) is None and ast.unparse(node) != "-math.inf":
        yield node.operand


@operator(
    "mask-condition",
    [
        ("s.masked_fill(m == 0, v)", ["s.masked_fill((m == 0).logical_not(), v)"]),
        ("s.masked_fill(~m, v)", []),
        ("torch.where(m, a, b)", ["torch.where(m.logical_not(), a, b)"]),
        ("m & keep.any(-1)", []),
    ],
)
def mask_condition(node: ast.AST, place: Place) -> Iterator[Made]:
    """The condition of a fill is inverted (a dropped ``~`` is another operator's)."""
    if call_name(node) not in ("masked_fill", "masked_fill_", "where") or not isinstance(node, ast.Call):
        return
    if node.args and not isinstance(node.args[0], ast.UnaryOp):
        yield like(node, args=[method(node.args[0], "logical_not"), *node.args[1:]])


@operator(
    "statistics",
    [
        ("x.var(-1, unbiased=False)", ["x.var(-1, unbiased=True)"]),
        ("x.var(-1, correction=0)", ["x.var(-1, correction=1)"]),
        ("x.mean(-1, keepdim=True)", ["x.mean(-1, keepdim=False)"]),
        ("x.mean(-1, True)", ["x.mean(-1, False)"]),
        ("nn.Linear(a, b, bias=True)", []),
    ],
)
def statistics(node: ast.AST, place: Place) -> Iterator[Made]:
    """Bessel's correction, and whether the axis is kept."""
    parent = place.parent(node)
    if not isinstance(node, ast.Constant):
        return
    keyed = isinstance(parent, ast.keyword) and parent.arg in ("unbiased", "correction", "keepdim", "ddof")
    placed = call_name(parent or node) in ("mean", "sum", "var", "std", "amax", "max", "any", "all")
    if isinstance(node.value, bool) and (keyed or placed):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int) and keyed:
        yield numeral(1 - node.value)


@operator(
    "constant",
    [
        ("3", ["4", "2"]),
        ("10000", ["100000", "1000", "10001"]),
        ("1e-5", ["0.0", "0.001", "1.0"]),
        ("0.1", ["0.2", "0.05", "0.0"]),
        ("1.0", ["2.0", "0.5", "0.0"]),
        ("0.0", ["1.0", "0.5"]),
        ("True", ["False"]),
        ("-1", ["0", "-2"]),
        ("None", []),
    ],
)
def constant(node: ast.AST, place: Place) -> Iterator[Made]:
    """A number beside it, a multiple of it, or the other truth value."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
        return
    value, parent = number_of(node), place.parent(node)
    if value is None or (parent is not None and number_of(parent) is not None):
        return
    others: tuple[int | float, ...]
    if isinstance(value, int):
        others = (value * 10, value // 10, value + 1) if value >= 100 else (value + 1, value - 1)
    elif 0 < value < 0.01:
        others = (0.0, value * 100, 1.0)
    else:
        others = (value * 2, value / 2, 0.0) if value else (1.0, 0.5)
    for other in others:
        yield numeral(other)
