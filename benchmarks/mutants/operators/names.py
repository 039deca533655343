"""Names: the wrong variable, the wrong attribute, and what a module registers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutants.operators.registry import Made, Place, operator
from benchmarks.mutants.operators.syntax import assigned, call_name, is_self, like, parameters

# attributes that are likely to be taken for one another, beside those that differ in their last letter
FAMILIES = (
    {"num_heads", "d_k", "d_model", "d_head", "head_dim", "n_heads", "h", "d", "H"},
    {"weight", "bias"},
    {"max_len", "d_model"},
    {"attn", "self_attn", "feed_forward", "ffn", "ff"},
)
CLASS = """class A:
    def __init__(self):
        self.W_q, self.W_k = 1, 2
    def f(self, x):
        {}"""


@operator(
    "attribute",
    [
        (CLASS.format("return self.W_q(x)"), [CLASS.format("return self.W_k(x)")]),
        (CLASS.format("return self.f(x)"), []),
    ],
)
def attribute(node: ast.AST, place: Place) -> Iterator[Made]:
    """Another attribute of the same family: ``self.W_k`` for ``self.W_q``, ``norm2`` for ``norm1``."""
    if not isinstance(node, ast.Attribute) or not is_self(node) or not isinstance(node.ctx, ast.Load):
        return
    owner = place.owner(node)
    if owner is None:
        return
    held = {
        n.attr for n in ast.walk(owner) if is_self(n) and isinstance(n, ast.Attribute) and _stored(n, place)
    }
    for other in sorted(held - {node.attr}):
        if _related(node.attr, other):
            yield like(node, attr=other)


def _stored(node: ast.Attribute, place: Place) -> bool:
    return isinstance(node.ctx, ast.Store)


def _related(one: str, other: str) -> bool:
    stem = re.compile(r"(?<=.)(_?[a-z]|_?\d+)$")
    if stem.search(one) and stem.search(other) and stem.sub("", one) == stem.sub("", other):
        return True
    return any({one, other} <= family for family in FAMILIES)


@operator(
    "variable",
    [
        ("def f(a, b):\n    return g(a)", ["def f(a, b):\n    return g(b)"]),
        (
            "def f(a):\n    B, S = a.shape\n    return a.view(B)",
            ["def f(a):\n    B, S = a.shape\n    return a.view(S)"],
        ),
        (
            "def f(x):\n    y = g(x)\n    z = h(y)",
            ["def f(x):\n    y = g(x)\n    z = h(x)"],
        ),
        ("def f(a):\n    return a", []),
    ],
)
def variable(node: ast.AST, place: Place) -> Iterator[Made]:
    """Another variable: a parameter beside it, one unpacked with it, or the one that it was made of."""
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return
    function = place.function(node)
    if function is None or place.field_of(node) == "func":
        return
    for other in dict.fromkeys([*_beside(node.id, function), *_source(node, function)]):
        if other != node.id:
            yield like(node, id=other)


def _beside(name: str, function: ast.FunctionDef) -> Iterator[str]:
    groups = [parameters(function)]
    for statement in ast.walk(function):
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                group = [t.id for t in assigned(target) if isinstance(t, ast.Name) and t.id != "_"]
                groups.append(group)
    for group in groups:
        if name in group and len(group) > 1:
            at = group.index(name)
            yield from (group[i] for i in (at - 1, at + 1) if 0 <= i < len(group))


def _source(node: ast.Name, function: ast.FunctionDef) -> Iterator[str]:
    """``x`` for ``y`` after ``y = g(x)``: the step is forgotten."""
    for statement in ast.walk(function):
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
            continue
        if statement.targets[0].id == node.id and statement.lineno < node.lineno:
            value = statement.value
            if isinstance(value, ast.Call) and isinstance(value.func, (ast.Name, ast.Attribute)):
                inner = [a for a in value.args if isinstance(a, ast.Name)]
                owner = value.func.value if isinstance(value.func, ast.Attribute) else None
                if isinstance(owner, ast.Name) and owner.id not in ("torch", "self", "F", "math", "nn"):
                    inner.insert(0, owner)
                yield from (n.id for n in inner[:1])


@operator(
    "registration",
    [
        ("self.register_buffer('pe', t)", ["self.pe = t", "self.pe = nn.Parameter(t)"]),
        ("self.register_parameter('w', parameter(t))", []),
        (
            "self.register_parameter('w', nn.Parameter(t))",
            ["self.w = t", "self.register_parameter('w', nn.Parameter(t, requires_grad=False))"],
        ),
        ("nn.ModuleList(x)", ["list(x)"]),
        ("nn.Parameter(t)", ["t", "nn.Parameter(t, requires_grad=False)"]),
        ("nn.Linear(a, b)", ["nn.Linear(a, b, bias=False)"]),
        ("nn.Linear(a, b, bias=c)", []),
    ],
)
def registration(node: ast.AST, place: Place) -> Iterator[Made]:
    """A buffer, parameter or list of modules that the module does not know of."""
    name = call_name(node)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        call = node.value
        kind = call_name(call)
        named = len(call.args) > 1 and isinstance(call.args[0], ast.Constant)
        if kind in ("register_buffer", "register_parameter") and named:
            assert isinstance(call.args[0], ast.Constant)
            target = ast.Attribute(ast.Name("self", ast.Load()), str(call.args[0].value), ast.Store())
            value = call.args[1]
            if kind == "register_buffer":
                yield [_set(target, value)]
                wrapper = ast.parse("nn.Parameter", mode="eval").body
                yield [_set(target, ast.Call(wrapper, [value], []))]
            elif call_name(value) == "Parameter" and isinstance(value, ast.Call) and value.args:
                yield [_set(target, value.args[0])]
    if not isinstance(node, ast.Call):
        return
    if name in ("ModuleList", "ModuleDict") and node.args:
        plain = "list" if name == "ModuleList" else "dict"
        yield ast.Call(ast.Name(plain, ast.Load()), node.args, [])
    if name == "Parameter" and len(node.args) == 1:
        outer = place.parent(node)
        if call_name(outer or node) != "register_parameter":
            yield node.args[0]
        if not node.keywords:
            yield like(node, keywords=[ast.keyword("requires_grad", ast.Constant(False))])
    if name == "Linear" and len(node.args) == 2 and not node.keywords:
        yield like(node, keywords=[ast.keyword("bias", ast.Constant(False))])


def _set(target: ast.expr, value: ast.expr) -> ast.Assign:
    return ast.Assign([target], value, lineno=0)


@operator(
    "shared",
    [
        ("nn.ModuleList(f() for _ in range(n))", ["nn.ModuleList([f()] * n)"]),
        ("nn.ModuleList([f() for _ in range(n)])", ["nn.ModuleList([f()] * n)"]),
        (
            "def f(self):\n    self.a1 = g(1)\n    self.a2 = g(1)",
            ["def f(self):\n    self.a1 = g(1)\n    self.a2 = self.a1"],
        ),
        ("[f(i) for i in range(n)]", []),
    ],
)
def shared(node: ast.AST, place: Place) -> Iterator[Made]:
    """One module in two places."""
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)) and call_name(place.parent(node) or node):
        first = node.generators[0]
        used = {n.id for n in ast.walk(node.elt) if isinstance(n, ast.Name)}
        counted = isinstance(first.iter, ast.Call) and getattr(first.iter.func, "id", "") == "range"
        if counted and isinstance(first.target, ast.Name) and first.target.id not in used:
            assert isinstance(first.iter, ast.Call)
            yield ast.BinOp(ast.List([node.elt], ast.Load()), ast.Mult(), first.iter.args[0])
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and is_self(node.targets[0]):
        function = place.function(node)
        for other in ast.walk(function) if function is not None else ():
            if other is node:
                return
            if not isinstance(other, ast.Assign) or ast.dump(other.value) != ast.dump(node.value):
                continue
            target = other.targets[0]
            if isinstance(target, ast.Attribute) and is_self(target):
                yield [_set(node.targets[0], like(target, ctx=ast.Load()))]
                return
