"""Finds a line in the syntax tree by the words that a mistake is written with.

For mistakes that no tensor value shows: a `.detach()`, a `return` with the wrong things, a seed, an
entry of the state, an argument that is not passed on.  A word is one of these:

``detach``     a name that is called, read as an attribute or imported; ``in-place`` for ``x += 1``
``return``     the last return of the function (of `forward`, for a class)
``def forward``  a definition
``NAME=``      what makes an entry: ``self.NAME = ...``, ``NAME = ...``, ``register_buffer("NAME", ...)``;
               ``NAME=!x`` one whose value does not mention x, ``NAME=x`` one whose value does
``NAME(``      a call of NAME; ``NAME(!kw`` a call that has neither the keyword nor a value called so
``NAME[]``     a use of NAME with a constant index
``dropout()``  where something is dropped, whatever it is called
``if NAME``, ``maybe NAME``, ``compare``, ``**``, ``+norm``, ``discarded``  forms of expression, see below
``def``, ``last``  the definition of the target itself, its last line

`forward:` or `init:` before a word: outside or inside the constructor; `own:` inside the definition of the
target alone; ``#2`` after it: the second use.  Of a class as a whole:

``flow:A``     the line at which the sublayer A has its turn, also where a method that only wraps it is called
``first:A,B``  the turn of A before which B has none
``twice:A``    the second use of A on one way through a function
``unlike:A,B`` the first layer that the constructor keeps under another name than these
``leaves:A``   a return out of a loop that comes before the last use of A

With ``?`` before it a word is used only when the recorded operations show nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator

from grader.submission.source import SourceFile

__all__ = ["WORDS", "extents", "line_of_words", "return_line"]

DTYPES = (".float", "float32", ".double", "float64", ".half", "float16", "FloatTensor", "type", "numpy")

OPERATORS = {"**": ast.Pow, "//": ast.FloorDiv, "@": ast.MatMult}
SUBLAYERS = ("self_attn", "feed_forward")
LAYERS = (
    "Linear", "Embedding", "Sequential", "ModuleList", "ModuleDict", "LayerNorm", "AddNorm", "Parameter",
    "MultiHeadAttention", "FeedForward", "EncoderBlock", "SinusoidalPositionalEncoding", "RMSNorm",
    "LearnedPositionalEncoding", "BatchNorm1d", "Conv1d", "PReLU",
)  # fmt: skip
EFFECTS = ("append", "extend", "add_module", "print", "manual_seed", "train", "eval", "update", "insert")

# fault id to the names (called, read as an attribute, or assigned in place) that give it away
WORDS: dict[str, tuple[str, ...]] = {
    "output-detached": (
        "detach", "detach_", "data", "no_grad", "inference_mode", "numpy", "item", "tolist", "tensor",
        "requires_grad", "requires_grad_",
    ),
    "weights-detached": ("detach", "detach_", "data", "no_grad", "numpy", "tensor"),
    "statistics-detached": ("detach", "detach_", "data", "no_grad", "numpy", "item", "tensor"),
    "dtype-changed": DTYPES,
    "mask-in-place": (
        "masked_fill_", "logical_not_", "mul_", "sub_", "div_", "add_", "neg_", "copy_", "in-place",
    ),
    "apply-mask-in-place": ("masked_fill_", "mul_", "sub_", "add_", "copy_", "in-place"),
    "input-modified": ("sub_", "add_", "div_", "mul_", "copy_", "in-place"),
    "uninitialised-memory": ("empty", "empty_like", "new_empty"),
    "nondeterministic": (
        "randn_like", "rand_like", "randn", "rand", "bernoulli", "bernoulli_", "normal_", "randint",
        "F.dropout(", "forward:Dropout(", "dropout()", "Dropout",
    ),
    "dropout-in-eval": ("F.dropout(!training", "forward:Dropout(", "forward:train", "bernoulli", "dropout()"),
    "differs-without-gradients": ("is_grad_enabled", "is_inference_mode_enabled", "requires_grad"),
    "modified-without-gradients": (
        "masked_fill_", "logical_not_", "sub_", "add_", "div_", "mul_", "neg_", "copy_", "in-place",
    ),
    "result-overwritten": ("copy_", "in-place", "out", "empty", "empty_like", "zeros", "zeros_like"),
    "not-implemented": ("?last",),
    "default-wrong": ("def __init__",),
    "global-state-changed": (
        "manual_seed", "seed", "set_grad_enabled", "set_default_dtype", "set_num_threads",
        "use_deterministic_algorithms", "set_default_tensor_type",
    ),
    "returns-output-only": ("return",),
    "weights-are-scores": ("return",),
    "weights-returned-before-mask": ("return",),
    "weights-returned-before-dropout": ("return",),
    "weights-averaged": ("mean", "return"),
    "norm-order-swapped": ("if norm_first",),
    "forbidden-api": (
        "scaled_dot_product_attention", "MultiheadAttention", "multi_head_attention_forward", ".LayerNorm",
        "layer_norm", "native_layer_norm", "rms_norm", "RMSNorm", "group_norm", "GroupNorm", "batch_norm",
        "BatchNorm1d", "instance_norm", "TransformerEncoderLayer", ".TransformerEncoder", "Transformer",
        "LayerNorm",
    ),
}  # fmt: skip

Nodes = list[ast.AST]
Path = tuple[tuple[int, str], ...]  # of branches: the condition, and which side of it


def line_of_words(
    file: SourceFile, words: Collection[str], within: str | None = None, *, late: bool = False
) -> int | None:
    """The first line, inside the definition called `within` if it has any, that uses one of the words.

    Earlier words are preferred to later ones; `late` chooses the words that begin with ``?``.
    """
    if file.tree is None:
        return None
    scopes: list[ast.AST] = [n for n in file.tree.body if getattr(n, "name", None) == within]
    scopes.append(file.tree)
    for word in words:
        if word.startswith("?") is not late:
            continue
        for scope in scopes:
            mark = word.lstrip("?")
            line = return_line(file, within or "") if mark == "return" else _line(scope, mark, within)
            if line is not None:
                return line
    return None


def extents(file: SourceFile, names: Collection[str]) -> list[range]:
    """The lines of the functions and classes with these names."""
    found = [node for name in names if (node := file.definition(name)) is not None]
    return [range(n.lineno, (n.end_lineno or n.lineno) + 1) for n in found]


def return_line(file: SourceFile, within: str) -> int | None:
    """The line of the last `return` of a function (of `forward`, for a class)."""
    for node in file.tree.body if file.tree is not None else ():
        if getattr(node, "name", None) == within:
            methods = [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef) and n.name == "forward"]
            inner: ast.AST = methods[0] if methods else node
            lines = [n.lineno for n in _walk(inner) if isinstance(n, ast.Return)]
            return max(lines) if lines else None
    return None


def _line(scope: ast.AST, word: str, within: str | None) -> int | None:
    name = getattr(scope, "name", None)
    if word == "def":
        return scope.lineno if name == within else None  # type: ignore[attr-defined]
    if word == "last":
        return _last(scope) if name == within else None
    place, colon, rest = word.partition(":")
    if place in WHOLE:
        return WHOLE[place](scope, rest) if name == within else None
    if place == "own":
        return _line(scope, rest, within) if name == within else None
    nodes = list(ast.walk(scope))
    if colon:
        building = {id(n) for f in nodes if _is_init(f) for n in ast.walk(f)}
        nodes = [n for n in nodes if (id(n) in building) is (place == "init")]
    rest, _, count = (rest if colon else word).partition("#")
    lines = sorted(line for finder in FINDERS for line in finder(nodes, rest))
    index = int(count or 1) - 1
    return lines[index] if index < len(lines) else None


def _turn(scope: ast.AST, sublayer: str) -> int | None:
    """The first line that calls the sublayer, or a method that wraps it and no other sublayer."""
    uses = _turns(scope, sublayer)
    return min((node.lineno for node, _ in uses), default=None)


def _ahead(scope: ast.AST, names: str) -> int | None:
    """The first turn of one sublayer before which the other has none, on one way through a function."""
    one, _, other = names.partition(",")
    later = _turns(scope, other)
    for node, path in sorted(_turns(scope, one), key=lambda use: use[0].lineno):
        rivals = [n for n, p in later if all(a == b for a, b in zip(path, p))]
        if rivals and all(n.lineno > node.lineno for n in rivals):
            return node.lineno
    return None


def _turns(scope: ast.AST, sublayer: str) -> list[tuple[ast.Attribute, Path]]:
    """The uses of a sublayer, or of a method that wraps it, each with the way that leads there."""
    methods = [n for n in ast.walk(scope) if isinstance(n, ast.FunctionDef) and not _is_init(n)]
    used = {m.name: {_called(n) for n in ast.walk(m)} for m in methods}
    others = set(SUBLAYERS) - {sublayer}
    wraps = {m for m, names in used.items() if sublayer in names and not names & others and m != "forward"}
    outer = [m for m in methods if m.name not in wraps] or methods
    found = [(node, ((id(m), m.name), *path)) for m in outer for node, path in _branches(m, ())]
    return [(node, path) for node, path in found if node.attr in wraps | {sublayer}]


def _repeated(scope: ast.AST, word: str) -> int | None:
    """The second of two uses that one call of a function comes by: not in two branches of a condition."""
    found: list[int] = []
    for method in (n for n in ast.walk(scope) if isinstance(n, ast.FunctionDef) and not _is_init(n)):
        uses = sorted(_branches(method, ()), key=lambda use: use[0].lineno)
        uses = [(n, path) for n, path in uses if n.attr == word]
        for later, (node, path) in enumerate(uses):
            if any(all(a == b for a, b in zip(path, other)) for _, other in uses[:later]):
                found.append(node.lineno)
                break
    return min(found, default=None)


def _branches(node: ast.AST, path: Path) -> Iterator[tuple[ast.Attribute, Path]]:
    """The attributes that are read, with the branches of conditions that they stand in."""
    if isinstance(node, ast.Attribute):
        yield node, path
    for name, value in ast.iter_fields(node):
        inner = path
        if isinstance(node, (ast.If, ast.IfExp)) and name in ("body", "orelse"):
            inner = (*path, (id(node), name))
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _branches(child, inner)


def _unlike(scope: ast.AST, names: str) -> int | None:
    """The first layer that the constructor keeps under a name that is not one of these."""
    kept = [n for f in ast.walk(scope) if _is_init(f) for n in ast.walk(f) if isinstance(n, ast.Assign)]
    for node in kept:
        layer = isinstance(node.value, ast.Call) and (_called(node.value.func) or "") in LAYERS
        for target in node.targets if layer else ():
            if isinstance(target, ast.Attribute) and target.attr not in names.split(","):
                return node.lineno
    return None


def _leaves(scope: ast.AST, name: str) -> int | None:
    """The first return out of a loop after which the name is still used: what it would do is left out."""
    loops = [n for n in ast.walk(scope) if isinstance(n, (ast.For, ast.While))]
    returns = sorted(n.lineno for loop in loops for n in ast.walk(loop) if isinstance(n, ast.Return))
    last = max(_names(list(ast.walk(scope)), name), default=0)
    return returns[0] if returns and returns[0] < last else None


def _default(scope: ast.AST, settings: str) -> int | None:
    """The first of these settings (``dropout=0.1,norm_first=False``) that has another default, or none."""
    for function in (n for n in ast.walk(scope) if isinstance(n, ast.FunctionDef) and _is_init(n)):
        given = function.args
        named = [*given.posonlyargs, *given.args]
        defaults = [*[None] * (len(named) - len(given.defaults)), *given.defaults, *given.kw_defaults]
        have = {a.arg: (a.lineno, d) for a, d in zip([*named, *given.kwonlyargs], defaults)}
        for name, _, wanted in (setting.partition("=") for setting in settings.split(",")):
            line, default = have.get(name, (None, None))
            if line is not None and not _is_value(default, ast.literal_eval(wanted)):
                return default.lineno if default is not None else line
    return None


def _is_value(node: ast.expr | None, wanted: object) -> bool:
    try:
        return node is not None and bool(ast.literal_eval(node) == wanted)
    except ValueError:  # an expression
        return False


WHOLE: dict[str, Callable[[ast.AST, str], int | None]] = {
    "flow": _turn,
    "first": _ahead,
    "twice": _repeated,
    "unlike": _unlike,
    "default": _default,
    "leaves": _leaves,
}


def _last(scope: ast.AST) -> int | None:
    """The last line of a function, of `forward` for a class: where its return belongs."""
    methods = [n for n in ast.walk(scope) if isinstance(n, ast.FunctionDef) and n.name == "forward"]
    found = methods[0] if methods else scope
    return found.body[-1].lineno if isinstance(found, ast.FunctionDef) else None


def _names(nodes: Nodes, word: str) -> Iterator[int]:
    """Uses of a plain name; of an attribute only, with a dot before it."""
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr == word.lstrip("."):
            yield node.end_lineno or node.lineno
        elif isinstance(node, ast.Name) and node.id == word:
            yield node.lineno
        elif word == "in-place":
            subscript = isinstance(node, ast.Assign) and any(
                isinstance(t, ast.Subscript) for t in node.targets
            )
            if subscript or isinstance(node, ast.AugAssign):
                yield node.lineno  # type: ignore[attr-defined]


def _definitions(nodes: Nodes, word: str) -> Iterator[int]:
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and word == f"def {node.name}":
            yield node.lineno


def _entries(nodes: Nodes, word: str) -> Iterator[int]:
    """What makes an entry of the state, or a variable; ``NAME=!x``: without mention of x."""
    name, equals, rest = word.partition("=")
    if not equals:
        return
    missing = rest.startswith("!")
    for node in nodes:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            parts = [e for t in targets for e in (t.elts if isinstance(t, ast.Tuple) else [t])]
            made = any(_called(part) == name for part in parts)
            value: ast.AST = node.value
        elif isinstance(node, ast.Call) and (_called(node.func) or "").startswith(("register_", "setattr")):
            made = any(isinstance(a, ast.Constant) and a.value == name for a in node.args)
            value = node
        else:
            continue
        if made and (not rest or _says(value, rest) if not missing else not _mentions(value, rest[1:])):
            yield node.lineno


def _calls(nodes: Nodes, word: str) -> Iterator[int]:
    """Calls; of those that lack an argument, where one is named; ``F.NAME(`` of a function of torch."""
    name, bracket, rest = word.partition("(")
    if not bracket or rest == ")":
        return
    free, missing = name.startswith("F."), rest.lstrip("!")
    for node in nodes:
        if not isinstance(node, ast.Call) or _called(node.func) != name.removeprefix("F."):
            continue
        owner = _called(node.func.value) if isinstance(node.func, ast.Attribute) else None
        if free and owner not in ("F", "functional", "torch", None):
            continue
        if missing and name == "__init__" and not (node.args or node.keywords):
            continue  # the constructor of nn.Module, which takes nothing
        if not missing or not any(_mentions(a, missing) for a in _arguments(node)):
            yield node.func.end_lineno or node.lineno


def _choices(nodes: Nodes, word: str) -> Iterator[int]:
    """``if NAME``: where a condition asks for it; ``maybe NAME``: it or else None."""
    kind, _, name = word.partition(" ")
    for node in nodes:
        if kind == "if" and isinstance(node, (ast.If, ast.IfExp)) and _mentions(node.test, name):
            yield node.test.lineno
        elif kind == "if" and isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            if _mentions(node.operand, name):
                yield node.lineno
        elif kind == "maybe" and isinstance(node, ast.IfExp) and _mentions(node, name):
            yield from (node.lineno for n in (node.body, node.orelse) if _is_none(n))


def _shapes(nodes: Nodes, word: str) -> Iterator[int]:
    """Forms of expression: ``compare``, ``**``, ``//``, ``@``, ``+norm``, ``discarded``."""
    for node in nodes:
        if word == "compare":
            equal = isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq))
            if equal or (isinstance(node, ast.Call) and _called(node.func) in ("eq", "ne", "not_equal")):
                yield node.lineno  # type: ignore[attr-defined]
        elif word in OPERATORS and isinstance(node, ast.BinOp) and isinstance(node.op, OPERATORS[word]):
            yield node.lineno
        elif word == "+norm" and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            sides = (node.left, node.right)
            if any(isinstance(n, ast.Call) and "norm" in (_called(n.func) or "") for n in sides):
                yield node.lineno
        elif word.endswith("[]") and isinstance(node, ast.Subscript):
            if _called(node.value) == word[:-2] and isinstance(node.slice, ast.Constant):
                yield node.lineno
        elif word == "discarded" and isinstance(node, ast.Expr) and _is_computation(node.value):
            yield node.lineno


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_computation(node: ast.AST) -> bool:
    """An expression whose value should be used, unlike `append`, `add_` or `super().__init__`."""
    if not isinstance(node, ast.Call):
        return isinstance(node, ast.BinOp)
    name = _called(node.func) or "_"
    return not (name.endswith("_") or name.startswith(("register", "_")) or name in EFFECTS)


def _drops(nodes: Nodes, word: str) -> Iterator[int]:
    """Where something is dropped: a call of a dropout outside the constructor."""
    if word != "dropout()":
        return
    made = {
        _called(target)
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for target in node.targets
        if "Dropout" in (_called(node.value.func) or "")
    }
    building = {id(n) for f in nodes if _is_init(f) for n in ast.walk(f)}
    for node in nodes:
        if not isinstance(node, ast.Call) or id(node) in building:
            continue
        name = _called(node.func)
        if isinstance(node.func, ast.Call):  # nn.Dropout(p)(x)
            name = (_called(node.func.func) or "").lower()
        if name is not None and (name in made or "drop" in name) and name != "Dropout":
            yield node.lineno


FINDERS: tuple[Callable[[Nodes, str], Iterator[int]], ...] = (
    _names, _definitions, _entries, _calls, _choices, _shapes, _drops,
)  # fmt: skip


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a definition, those of definitions inside its functions left out."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(node, ast.ClassDef) or not isinstance(child, (ast.FunctionDef, ast.Lambda)):
            yield from _walk(child)


def _is_init(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == "__init__"


def _called(node: ast.AST) -> str | None:
    """The last part of a dotted name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _arguments(call: ast.Call) -> Iterator[ast.AST]:
    yield from call.args
    yield from call.keywords


def _says(node: ast.AST, name: str) -> bool:
    """Whether something called so is in it, or an argument passed by this name, whatever its value."""
    return any(_called(n) == name or (isinstance(n, ast.keyword) and n.arg == name) for n in ast.walk(node))


def _mentions(node: ast.AST, name: str) -> bool:
    """Whether an argument is passed by this name, or holds something called so."""
    if isinstance(node, ast.keyword) and node.arg == name:
        return not (isinstance(node.value, ast.Constant) and node.value.value in (None, False))
    return any((_called(n) or "").lstrip("_") == name for n in ast.walk(node))
