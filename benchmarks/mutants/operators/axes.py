"""Axes: transposing, dimensions, einsum, slices, and how shapes are changed."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator

from benchmarks.mutants.operators.registry import Made, Place, operator
from benchmarks.mutants.operators.syntax import (
    call_name,
    expression,
    like,
    number_of,
    numeral,
    receiver,
    without,
)

TURNS = ("transpose", "permute", "t", "swapaxes", "swapdims", "movedim")
TURNED = ("T", "mT", "H", "mH")
# the place of the dimension among the arguments of a method; one later in a function of torch
DIMENSION = {
    **dict.fromkeys(("softmax", "log_softmax", "sum", "mean", "var", "std", "amax", "amin", "max", "min"), 0),
    **dict.fromkeys(("cumsum", "cumprod", "prod", "logsumexp", "any", "all", "argmax", "unsqueeze"), 0),
    **dict.fromkeys(("squeeze", "flatten", "unflatten", "unbind", "select", "size", "narrow", "norm"), 0),
    **dict.fromkeys(("split", "chunk", "cat", "stack", "repeat_interleave"), 1),
}
KEYWORDS = ("dim", "axis", "start_dim", "end_dim", "dim0", "dim1")


@operator(
    "transpose",
    [
        ("x.transpose(1, 2)", ["x", "x.transpose(0, 1)", "x.transpose(-2, -1)"]),
        ("torch.transpose(x, -2, -1)", ["x", "torch.transpose(x, 0, 1)", "torch.transpose(x, 1, 2)"]),
        ("x.permute(0, 2, 1)", ["x", "x.permute(2, 0, 1)", "x.permute(0, 1, 2)"]),
        ("x.mT", ["x"]),
        ("x.sum(1)", []),
    ],
)
def transpose(node: ast.AST, place: Place) -> Iterator[Made]:
    """A transposition is dropped, or takes other axes."""
    if isinstance(node, ast.Attribute) and node.attr in TURNED:
        yield node.value
    if not isinstance(node, ast.Call) or call_name(node) not in TURNS:
        return
    inner = receiver(node)
    offset = 0 if inner is not None else 1
    if inner is None:
        if not node.args:
            return
        inner = node.args[0]
    yield inner
    axes = [number_of(a) for a in node.args[offset:]]
    if call_name(node) in ("transpose", "swapaxes", "swapdims", "movedim") and len(axes) == 2:
        for pair in ((0, 1), (1, 2), (-2, -1)):
            if sorted(pair) != sorted(a for a in axes if a is not None):
                yield like(node, args=[*node.args[:offset], *map(numeral, pair)])
    if call_name(node) == "permute":
        yield from swapped_neighbours(node, offset)


def swapped_neighbours(node: ast.Call, first: int) -> Iterator[ast.Call]:
    """The call with two arguments beside each other exchanged."""
    for i in range(first, len(node.args) - 1):
        args = list(node.args)
        args[i], args[i + 1] = args[i + 1], args[i]
        yield like(node, args=args)


@operator(
    "dim",
    [
        ("x.softmax(dim=-1)", ["x.softmax(dim=-2)", "x.softmax(dim=0)", "x.softmax(dim=1)"]),
        ("torch.softmax(x, 1)", ["torch.softmax(x, -1)", "torch.softmax(x, 0)", "torch.softmax(x, 2)"]),
        (
            "x.mean((0, 1))",
            [
                "x.mean((1,))",
                "x.mean((0,))",
                "x.mean((-1, 1))",
                "x.mean((1, 1))",
                "x.mean((0, -1))",
                "x.mean((0, 0))",
                "x.mean((0, 2))",
            ],
        ),
        ("x.shape[-1]", ["x.shape[-2]", "x.shape[0]", "x.shape[1]"]),
        ("x.size(0)", ["x.size(-1)", "x.size(1)"]),
        ("x.sum()", []),
    ],
)
def dim(node: ast.AST, place: Place) -> Iterator[Made]:
    """A dimension is another one."""
    if isinstance(node, ast.Tuple):
        if len(node.elts) > 1 and _is_dimension(node, place):
            for i in range(len(node.elts)):
                yield like(node, elts=without(node.elts, i))
        return
    value = number_of(node)
    if isinstance(value, int) and _is_dimension(node, place):
        for other in sorted({value - 1, value + 1, -1, 0, 1 if value == -1 else value} - {value}):
            yield numeral(other)


def _is_dimension(node: ast.AST, place: Place) -> bool:
    parent = place.parent(node)
    if isinstance(parent, ast.Tuple):
        return _is_dimension(parent, place)
    if isinstance(parent, ast.keyword):
        return parent.arg in KEYWORDS
    if isinstance(parent, ast.Subscript):
        return parent.slice is node and getattr(parent.value, "attr", "") == "shape"
    if not isinstance(parent, ast.Call) or node not in parent.args:
        return False
    at = DIMENSION.get(call_name(parent))
    if at is None:
        return False
    methodical = receiver(parent) is not None or call_name(parent) in ("cat", "stack", "split", "chunk")
    if at == 1 and receiver(parent) is not None:  # x.chunk(n, dim)
        return parent.args.index(node) == 1
    return parent.args.index(node) == (at if methodical else at + 1)


@operator(
    "reshape-view",
    [
        ("x.reshape(2, 3)", ["x.view(2, 3)"]),
        ("x.view(2, 3)", ["x.reshape(2, 3)"]),
        ("torch.reshape(x, (2, 3))", ["x.view((2, 3))"]),
        ("x.contiguous()", ["x"]),
        ("x.flatten(2)", []),
    ],
)
def reshape_view(node: ast.AST, place: Place) -> Iterator[Made]:
    """``reshape`` for ``view`` and the other way round; ``contiguous`` is dropped."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    inner = receiver(node)
    other = {"reshape": "view", "view": "reshape"}.get(node.func.attr)
    if other is not None and inner is not None:
        yield like(node, func=like(node.func, attr=other))
    elif node.func.attr == "reshape" and node.args:
        yield ast.Call(ast.Attribute(node.args[0], "view", ast.Load()), node.args[1:], [])
    elif node.func.attr == "contiguous" and inner is not None:
        yield inner


@operator(
    "shape-order",
    [
        ("x.view(B, H, S)", ["x.view(H, B, S)", "x.view(B, S, H)"]),
        ("x.unflatten(-1, (h, d))", ["x.unflatten(-1, (d, h))"]),
        ("x.reshape(a)", []),
        ("torch.reshape(x, (a, b, c))", ["torch.reshape(x, (b, a, c))", "torch.reshape(x, (a, c, b))"]),
    ],
)
def shape_order(node: ast.AST, place: Place) -> Iterator[Made]:
    """Two sizes beside each other in a new shape are exchanged."""
    if not isinstance(node, ast.Call) or call_name(node) not in (
        "view",
        "reshape",
        "unflatten",
        "expand",
        "repeat",
    ):
        return
    if receiver(node) is not None and call_name(node) != "unflatten" and len(node.args) > 1:
        yield from swapped_neighbours(node, 0)
        return
    for k, shape in enumerate(node.args):
        if isinstance(shape, (ast.Tuple, ast.List)):
            for i in range(len(shape.elts) - 1):
                items = list(shape.elts)
                items[i], items[i + 1] = items[i + 1], items[i]
                yield like(node, args=[*node.args[:k], like(shape, elts=items), *node.args[k + 1 :]])


@operator(
    "einsum",
    [
        (
            "torch.einsum('bqd,bkd->bqk', q, k)",
            [
                "torch.einsum('qbd,bkd->bqk', q, k)",
                "torch.einsum('bdq,bkd->bqk', q, k)",
                "torch.einsum('bqd,kbd->bqk', q, k)",
                "torch.einsum('bqd,bdk->bqk', q, k)",
                "torch.einsum('bqd,bkd->qbk', q, k)",
                "torch.einsum('bqd,bkd->bkq', q, k)",
            ],
        ),
        (
            "rearrange(x, 'b s (h d) -> b h s d')",
            [
                "rearrange(x, 's b (h d) -> b h s d')",
                "rearrange(x, 'b h (s d) -> b h s d')",
                "rearrange(x, 'b s (d h) -> b h s d')",
                "rearrange(x, 'b s (h d) -> h b s d')",
                "rearrange(x, 'b s (h d) -> b s h d')",
                "rearrange(x, 'b s (h d) -> b h d s')",
            ],
        ),
        ("print('a b')", []),
    ],
)
def einsum(node: ast.AST, place: Place) -> Iterator[Made]:
    """Two letters or axis names beside each other are exchanged."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return
    if call_name(place.parent(node) or node) not in ("einsum", "rearrange", "reduce", "repeat"):
        return
    spaced = " " in node.value.strip().replace(", ", ",").replace(" ->", "->").replace("-> ", "->")
    names = list(re.finditer(r"[A-Za-z_]+" if spaced else r"[A-Za-z]", node.value))
    for a, b in itertools.pairwise(names):
        between = node.value[a.end() : b.start()]
        if a[0] != b[0] and "," not in between and "->" not in between and "." not in between:
            text = node.value[: a.start()] + b[0] + between + a[0] + node.value[b.end() :]
            yield ast.Constant(text)


@operator(
    "slice",
    [
        ("x[:n]", ["x[:n - 1]", "x[:n + 1]", "x[:]"]),
        ("x[1::2]", ["x[::2]", "x[2::2]", "x[1:]", "x[1::3]"]),
        ("x[0]", ["x[1]", "x[-1]", "x"]),
        ("x[:, None, :]", ["x[None, :, :]", "x[:, :, None]", "x[None, :]", "x[:, :]", "x[:, None]"]),
        ("x.shape[0]", []),
    ],
)
def slice_(node: ast.AST, place: Place) -> Iterator[Made]:
    """A bound, an index, or the order of the axes in a subscript is another."""
    if isinstance(node, ast.Slice):
        yield from _slices(node)
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return
    if getattr(node.value, "attr", "") == "shape":
        return
    index = number_of(node.slice)
    if isinstance(index, int):
        yield like(node, slice=numeral(index + 1))
        yield like(node, slice=numeral(index - 1))
        yield node.value
    if isinstance(node.slice, ast.Tuple):
        items = node.slice.elts
        for i in range(len(items) - 1):
            other = list(items)
            other[i], other[i + 1] = other[i + 1], other[i]
            yield like(node, slice=like(node.slice, elts=other))
        for i in range(len(items)):
            rest = without(items, i)
            yield like(node, slice=rest[0] if len(rest) == 1 else like(node.slice, elts=rest))


def _slices(node: ast.Slice) -> Iterator[ast.Slice]:
    if node.lower is not None:
        low = number_of(node.lower)
        yield like(node, lower=None)
        yield like(node, lower=_moved(node.lower, 1) if low is None else numeral(int(low) + 1))
    if node.upper is not None:
        yield like(node, upper=_moved(node.upper, -1))
        yield like(node, upper=_moved(node.upper, 1))
        yield like(node, upper=None)
    if node.step is not None:
        yield like(node, step=None)
        step = number_of(node.step)
        if step is not None:
            yield like(node, step=numeral(int(step) + 1))


def _moved(bound: ast.expr, by: int) -> ast.expr:
    value = number_of(bound)
    if value is not None:
        return numeral(int(value) + by)
    return ast.BinOp(bound, ast.Add() if by > 0 else ast.Sub(), numeral(abs(by)))


@operator(
    "triangle",
    [
        ("torch.tril(x)", ["torch.triu(x)", "torch.tril(x, diagonal=1)", "torch.tril(x, diagonal=-1)"]),
        ("x.triu(1)", ["x.tril(1)", "x.triu(2)", "x.triu(0)"]),
        (
            "torch.triu(x, diagonal=1)",
            ["torch.tril(x, diagonal=1)", "torch.triu(x, diagonal=2)", "torch.triu(x, diagonal=0)"],
        ),
    ],
)
def triangle(node: ast.AST, place: Place) -> Iterator[Made]:
    """The other triangle, or a diagonal beside."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    other = {"tril": "triu", "triu": "tril"}.get(node.func.attr)
    if other is None:
        return
    yield like(node, func=like(node.func, attr=other))
    at = 0 if receiver(node) is not None else 1
    if len(node.args) > at:
        k = number_of(node.args[at])
        if k is not None:
            for by in (1, -1):
                yield like(node, args=[*node.args[:at], numeral(int(k) + by), *node.args[at + 1 :]])
        return
    given = next((w for w in node.keywords if w.arg == "diagonal"), None)
    k = 0 if given is None else number_of(given.value)
    rest = [w for w in node.keywords if w is not given]
    if k is not None:
        for by in (1, -1):
            word = ast.keyword("diagonal", numeral(int(k) + by))
            yield like(node, keywords=[*rest, word])


@operator(
    "matmul",
    [
        ("q @ k", ["q * k", "q @ k.transpose(-2, -1)"]),
        ("torch.matmul(q, k)", ["q * k"]),
        ("q * k", []),
    ],
)
def matmul(node: ast.AST, place: Place) -> Iterator[Made]:
    """A matrix product becomes an elementwise one, or takes the right side transposed."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        yield like(node, op=ast.Mult())
        turned = expression("x.transpose(-2, -1)")
        assert isinstance(turned, ast.Call)
        assert isinstance(turned.func, ast.Attribute)
        yield like(node, right=like(turned, func=like(turned.func, value=node.right)))
    if call_name(node) in ("matmul", "bmm", "mm") and isinstance(node, ast.Call):
        inner = receiver(node)
        pair = node.args if inner is None else [inner, *node.args]
        if len(pair) == 2:
            yield ast.BinOp(pair[0], ast.Mult(), pair[1])
