"""Finds a line in the syntax tree by the words that a mistake is written with.

For mistakes that no tensor value shows: a `.detach()`, a `return` with the wrong things, a seed, an
entry of the state, an argument that is not passed on.  A word is one of these:

``detach``     a name that is called, read as an attribute or imported; ``in-place`` for ``x += 1``
``return``     the last return of the function (of `forward`, for a class)
``def forward``  a definition
``NAME=``      what makes an entry: ``self.NAME = ...``, ``NAME = ...``, ``register_buffer("NAME", ...)``
``NAME(``      a call of NAME; ``NAME(!kw`` a call that has neither the keyword nor a value called so
``dropout()``  where something is dropped, whatever it is called
``def``        the definition of the target itself

With ``?`` before it a word is used only when the recorded operations show nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator

from grader.submission.source import SourceFile

__all__ = ["WORDS", "line_of_words", "return_line"]

DTYPES = ("float", "float32", "double", "float64", "half", "float16", "FloatTensor", "type", "numpy")

# fault id to the names (called, read as an attribute, or assigned in place) that give it away
WORDS: dict[str, tuple[str, ...]] = {
    "output-detached": ("detach", "detach_", "data", "no_grad", "inference_mode", "numpy", "item", "tolist", "tensor"),
    "weights-detached": ("detach", "detach_", "data", "no_grad", "numpy", "tensor"),
    "statistics-detached": ("detach", "detach_", "data", "no_grad", "numpy", "item", "tensor"),
    "dtype-changed": DTYPES,
    "mask-in-place": ("masked_fill_", "logical_not_", "mul_", "sub_", "div_", "add_", "neg_", "copy_", "in-place"),
    "apply-mask-in-place": ("masked_fill_", "mul_", "sub_", "add_", "copy_", "in-place"),
    "input-modified": ("sub_", "add_", "div_", "mul_", "copy_", "in-place"),
    "uninitialised-memory": ("empty", "empty_like", "new_empty"),
    "nondeterministic": ("Dropout", "dropout", "rand", "randn", "rand_like", "bernoulli", "randint"),
    "global-state-changed": (
        "manual_seed", "seed", "set_grad_enabled", "set_default_dtype", "set_num_threads",
        "use_deterministic_algorithms", "set_default_tensor_type",
    ),
    "returns-output-only": ("return",),
    "weights-are-scores": ("return",),
    "weights-returned-before-mask": ("return",),
    "weights-returned-before-dropout": ("return",),
    "weights-averaged": ("mean", "return"),
    "forbidden-api": (
        "scaled_dot_product_attention", "MultiheadAttention", "multi_head_attention_forward", "LayerNorm",
        "layer_norm", "native_layer_norm", "rms_norm", "RMSNorm", "group_norm", "GroupNorm", "batch_norm",
        "BatchNorm1d", "instance_norm", "TransformerEncoderLayer", "TransformerEncoder", "Transformer",
    ),
}  # fmt: skip

Use = tuple[str, int]


def line_of_words(
    file: SourceFile, words: Collection[str], within: str | None = None, *, late: bool = False
) -> int | None:
    """The first line, inside the definition called `within` if it has any, that uses one of the words.

    Earlier words are preferred to later ones; `late` chooses the words that begin with ``?``.
    """
    if file.tree is None:
        return None
    chosen = [w.lstrip("?") for w in words if w.startswith("?") is late]
    scopes: list[ast.AST] = [n for n in file.tree.body if getattr(n, "name", None) == within]
    scopes.append(file.tree)
    for scope in scopes:
        for word in chosen:
            line = return_line(file, within or "") if word == "return" else _line(scope, word, within)
            if line is not None:
                return line
    return None


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
    if word == "def":
        return scope.lineno if getattr(scope, "name", None) == within else None  # type: ignore[attr-defined]
    lines = [line for finder in FINDERS for line in finder(scope, word)]
    return min(lines) if lines else None


def _names(scope: ast.AST, word: str) -> Iterator[int]:
    """Uses of a plain name."""
    for node in ast.walk(scope):
        if isinstance(node, ast.Attribute) and node.attr == word:
            yield node.end_lineno or node.lineno
        elif isinstance(node, ast.Name) and node.id == word:
            yield node.lineno
        elif word == "in-place":
            subscript = isinstance(node, ast.Assign) and any(
                isinstance(t, ast.Subscript) for t in node.targets
            )
            if subscript or isinstance(node, ast.AugAssign):
                yield node.lineno  # type: ignore[attr-defined]


def _definitions(scope: ast.AST, word: str) -> Iterator[int]:
    for node in ast.walk(scope):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and word == f"def {node.name}":
            yield node.lineno


def _entries(scope: ast.AST, word: str) -> Iterator[int]:
    """What makes an entry of the state, or a variable."""
    if not word.endswith("="):
        return
    name = word[:-1]
    for node in ast.walk(scope):
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            parts = [e for t in targets for e in (t.elts if isinstance(t, ast.Tuple) else [t])]
            if any(_called(part) == name for part in parts):
                yield node.lineno
        elif isinstance(node, ast.Call) and (_called(node.func) or "").startswith(("register_", "setattr")):
            if any(isinstance(a, ast.Constant) and a.value == name for a in node.args):
                yield node.lineno


def _calls(scope: ast.AST, word: str) -> Iterator[int]:
    """Calls, of those that lack an argument where one is named."""
    name, bracket, rest = word.partition("(")
    if not bracket or rest == ")":
        return
    missing = rest.lstrip("!")
    for node in ast.walk(scope):
        if isinstance(node, ast.Call) and _called(node.func) == name:
            if not missing or not any(_mentions(a, missing) for a in _arguments(node)):
                yield node.func.end_lineno or node.lineno


def _drops(scope: ast.AST, word: str) -> Iterator[int]:
    """Where something is dropped: a call of a dropout outside the constructor."""
    if word != "dropout()":
        return
    made = {
        _called(target)
        for node in ast.walk(scope)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for target in node.targets
        if "Dropout" in (_called(node.value.func) or "")
    }
    building = {id(n) for f in _walk(scope) if _is_init(f) for n in ast.walk(f)}
    for node in ast.walk(scope):
        if not isinstance(node, ast.Call) or id(node) in building:
            continue
        name = _called(node.func)
        if isinstance(node.func, ast.Call):  # nn.Dropout(p)(x)
            name = (_called(node.func.func) or "").lower()
        if name is not None and (name in made or "drop" in name) and name != "Dropout":
            yield node.lineno


FINDERS: tuple[Callable[[ast.AST, str], Iterator[int]], ...] = (
    _names, _definitions, _entries, _calls, _drops,
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


def _mentions(node: ast.AST, name: str) -> bool:
    """Whether an argument is passed by this name, or holds something called so."""
    if isinstance(node, ast.keyword) and node.arg == name:
        return True
    return any((_called(n) or "").lstrip("_") == name for n in ast.walk(node))
