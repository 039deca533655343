"""Calls: dropped, exchanged, with fewer arguments, in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.mutants.operators.axes import swapped_neighbours
from benchmarks.mutants.operators.registry import Made, Place, operator
from benchmarks.mutants.operators.syntax import (
    call_name,
    is_method,
    is_self,
    like,
    parameters,
    receiver,
    without,
)

# what is called by a plain name and takes no tensor
BUILTINS = {"len", "range", "int", "float", "str", "isinstance", "super", "list", "tuple", "zip", "print"}
BUILTINS |= {"enumerate", "slice", "getattr", "setattr", "hasattr", "type", "iter", "next", "map", "sum"}
# what gives a tensor that may stand for its input, or its input for it
BOTH = {
    "softmax",
    "log_softmax",
    "relu",
    "sigmoid",
    "sqrt",
    "rsqrt",
    "exp",
    "log",
    "square",
    "abs",
    "sin",
    "cos",
}
BOTH |= {"unsqueeze", "squeeze", "flatten", "masked_fill", "clone", "nan_to_num", "tril", "triu", "clamp"}
BOTH |= {"logical_not", "mean", "sum"}
METHODS = BOTH | {"contiguous", "float", "double", "half", "to", "type", "type_as", "bool", "long", "int"}
METHODS |= {
    "masked_fill_",
    "expand",
    "expand_as",
    "repeat",
    "repeat_interleave",
    "reciprocal",
    "neg",
    "detach",
}
METHODS |= {"clamp_min", "any", "all", "bitwise_not", "eq", "ne", "add", "sub", "mul", "div", "round"}
METHODS |= {"copy_", "requires_grad_"}
FUNCTIONS = BOTH | {"dropout", "gelu", "normalize", "zeros_like"}


@operator(
    "drop-call",
    [
        ("scores.softmax(dim=-1)", ["scores"]),
        ("F.relu(x)", ["x"]),
        ("self.dropout(w)", ["w"]),
        ("self.layers[0](x, mask)", ["x"]),
        ("dropout(w)", ["w"]),
        ("math.sqrt(d)", ["d"]),
        ("torch.where(keep, a, b)", ["a"]),
        ("nn.Dropout(p)", []),
        ("len(x)", []),
        ("x.size(0)", []),
    ],
)
def drop_call(node: ast.AST, place: Place) -> Iterator[Made]:
    """``x`` instead of ``f(x)``, for what is made of tensors."""
    if not isinstance(node, ast.Call):
        return
    name, inner = call_name(node), receiver(node)
    if name == "where" and len(node.args) == 3:
        yield node.args[1]
    elif inner is not None and name in METHODS:
        yield inner
    elif node.args and ((inner is None and name in FUNCTIONS) or _applies(node.func)):
        yield node.args[0]


def _applies(func: ast.expr) -> bool:
    """A module or function that is held in a name: ``self.norm``, ``self.layers[i]``, ``dropout``."""
    if isinstance(func, ast.Subscript):
        return True
    name = func.attr if isinstance(func, ast.Attribute) and is_self(func) else getattr(func, "id", "")
    return bool(name) and name not in BUILTINS and not name[:1].isupper()


@operator(
    "swap-arguments",
    [
        ("f(a, b, c)", ["f(b, a, c)", "f(a, c, b)"]),
        ("torch.where(m, a, b)", ["torch.where(a, m, b)", "torch.where(m, b, a)"]),
        ("f(a, a)", []),
        ("x.view(a, b)", []),
        ("einsum('ij,jk', a, b)", ["einsum('ij,jk', b, a)"]),
    ],
)
def swap_arguments(node: ast.AST, place: Place) -> Iterator[Made]:
    """Two arguments beside each other are exchanged."""
    if not isinstance(node, ast.Call) or any(isinstance(a, ast.Starred) for a in node.args):
        return
    if is_method(node) and call_name(node) in ("view", "reshape", "permute", "transpose", "expand"):
        return
    first = 1 if node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value else 0
    for changed in swapped_neighbours(node, first):
        if [ast.dump(a) for a in changed.args] != [ast.dump(a) for a in node.args]:
            yield changed


@operator(
    "drop-argument",
    [
        ("self.f(a, b)", ["self.f(a)"]),
        ("nn.Embedding(a, b, c)", ["nn.Embedding(a, b)"]),
        ("torch.sum(a, b)", ["torch.sum(a)"]),
        ("f(a)", []),
    ],
)
def drop_argument(node: ast.AST, place: Place) -> Iterator[Made]:
    """The last argument is left out."""
    if isinstance(node, ast.Call) and len(node.args) > 1 and not isinstance(node.args[-1], ast.Starred):
        yield like(node, args=node.args[:-1])


@operator(
    "drop-keyword",
    [("f(a, b=1, c=2)", ["f(a, c=2)", "f(a, b=1)"]), ("f(**k)", [])],
)
def drop_keyword(node: ast.AST, place: Place) -> Iterator[Made]:
    """An argument given by name is left out."""
    if isinstance(node, ast.Call):
        for i, word in enumerate(node.keywords):
            if word.arg is not None:
                yield like(node, keywords=without(node.keywords, i))


OTHERS = {
    "sin": ("cos",),
    "cos": ("sin",),
    "sqrt": ("square",),
    "rsqrt": ("sqrt", "reciprocal"),
    "exp": ("sigmoid",),
    "max": ("min",),
    "min": ("max",),
    "amax": ("amin", "mean"),
    "amin": ("amax",),
    "maximum": ("minimum",),
    "minimum": ("maximum",),
    "sum": ("mean", "prod"),
    "mean": ("sum", "median"),
    "var": ("std",),
    "std": ("var",),
    "var_mean": ("std_mean",),
    "std_mean": ("var_mean",),
    "any": ("all",),
    "all": ("any",),
    "ones": ("zeros",),
    "zeros": ("ones", "empty"),
    "ones_like": ("zeros_like",),
    "zeros_like": ("ones_like", "empty_like"),
    "softmax": ("log_softmax", "sigmoid"),
    "log_softmax": ("softmax",),
    "relu": ("tanh", "sigmoid", "gelu"),
    "ReLU": ("GELU", "Tanh", "LeakyReLU"),
    "logical_and": ("logical_or",),
    "logical_or": ("logical_and",),
    "logical_not": ("bool",),
    "add": ("sub",),
    "sub": ("add",),
    "mul": ("div",),
    "div": ("mul",),
    "square": ("abs",),
    "double": ("float",),
    "float": ("double", "half"),
    "cat": ("stack",),
    "stack": ("cat",),
    "repeat": ("expand",),
    "repeat_interleave": ("repeat",),
    "unsqueeze": ("squeeze",),
    "num_embeddings": ("embedding_dim",),
    "Dropout": ("Dropout1d", "AlphaDropout"),
    "dropout": ("dropout1d", "alpha_dropout"),
}
DTYPES = {"float64": "float32", "float32": "float64", "bool": "float32", "promote_types": "result_type"}


@operator(
    "function",
    [
        ("x.sin()", ["x.cos()"]),
        ("x.relu()", ["x.tanh()", "x.sigmoid()", "x.gelu()"]),
        ("torch.float64", ["torch.float32"]),
        ("x.mean(-1)", ["x.sum(-1)", "x.median(-1)"]),
        ("nn.Linear(a, b)", []),
    ],
)
def function(node: ast.AST, place: Place) -> Iterator[Made]:
    """A function, module or dtype of the same family; ``mean`` for ``sum``, ``cos`` for ``sin``."""
    if not isinstance(node, ast.Attribute) or is_self(node):
        return
    parent = place.parent(node)
    called = isinstance(parent, ast.Call) and parent.func is node
    if called or node.attr == "num_embeddings":
        for other in OTHERS.get(node.attr, ()):
            yield like(node, attr=other)
    elif node.attr in DTYPES and getattr(node.value, "id", "") == "torch":
        yield like(node, attr=DTYPES[node.attr])


IN_PLACE = ("masked_fill", "add", "sub", "mul", "div", "sqrt", "exp", "clamp", "relu", "tril", "softmax")


@operator(
    "in-place",
    [
        ("s.masked_fill(m, v)", ["s.masked_fill_(m, v)"]),
        ("x = x + y", ["x += y"]),
        ("x = y + z", []),
        ("def f(a, b):\n    c = a * b", ["def f(a, b):\n    c = a.mul_(b)"]),
        ("torch.relu(x)", ["torch.relu_(x)"]),
        ("x.mean(-1)", []),
    ],
)
def in_place(node: ast.AST, place: Place) -> Iterator[Made]:
    """The same, written into the memory of one of its arguments."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name in IN_PLACE and name != "softmax" and (receiver(node) is not None or name == "relu"):
            yield like(node, func=like(node.func, attr=f"{name}_"))
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp) and len(node.targets) == 1:
        target, left = node.targets[0], node.value.left
        if isinstance(target, ast.Name) and isinstance(left, ast.Name) and target.id == left.id:
            yield [ast.AugAssign(target, node.value.op, node.value.right)]
    if isinstance(node, ast.BinOp) and isinstance(node.left, ast.Name):
        names: dict[type[ast.operator], str]
        names = {ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_"}
        scope = place.function(node)
        if type(node.op) in names and scope is not None and node.left.id in parameters(scope):
            inside = ast.Attribute(node.left, names[type(node.op)], ast.Load())
            yield ast.Call(inside, [node.right], [])
