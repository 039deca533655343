"""Finds a line in the syntax tree by the words that a mistake is written with.

For mistakes that no tensor value shows: a `.detach()`, a `return` with the wrong things, a seed.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

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


def line_of_words(file: SourceFile, words: Collection[str], within: str | None = None) -> int | None:
    """The first line, inside the definition called `within` if it has any, that uses one of the words.

    Earlier words are preferred to later ones.
    """
    if file.tree is None:
        return None
    scopes: list[ast.AST] = [n for n in file.tree.body if getattr(n, "name", None) == within]
    scopes.append(file.tree)
    for scope in scopes:
        uses = sorted(_uses(scope), key=lambda pair: pair[1])
        for word in words:
            for name, line in uses:
                if name == word:
                    return line
    return None


def return_line(file: SourceFile, within: str) -> int | None:
    """The line of the last `return` of a function (of `forward`, for a class)."""
    if file.tree is None:
        return None
    for node in file.tree.body:
        if getattr(node, "name", None) != within:
            continue
        inner: ast.AST = node
        if isinstance(node, ast.ClassDef):
            methods = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "forward"]
            inner = methods[0] if methods else node
        lines = [n.lineno for n in ast.walk(inner) if isinstance(n, ast.Return)]
        return max(lines) if lines else None
    return None


def _uses(scope: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(scope):
        if isinstance(node, ast.Attribute):
            yield node.attr, node.end_lineno or node.lineno
        elif isinstance(node, ast.Name):
            yield node.id, node.lineno
        elif isinstance(node, ast.Return):
            yield "return", node.lineno
        elif isinstance(node, ast.AugAssign):
            yield "in-place", node.lineno
        elif isinstance(node, ast.Assign) and any(isinstance(t, ast.Subscript) for t in node.targets):
            yield "in-place", node.lineno
