"""The kit for students: skeletons, public checks and a program that runs them, and nothing hidden.

The public checks are the examples of the skeletons' docstrings, with the numbers that stand there, and a
handful more in `public/`.  What may not be in it is looked for before anything is written (`leaks.py`).
"""

from __future__ import annotations

import ast
import doctest
import inspect
from collections.abc import Iterator, Sequence
from pathlib import Path

import grader
from grader.data import skeleton_folder
from grader.errors import ExerciseError
from grader.export.bundle import Bundle, Item
from grader.export.gradescope import torch_version
from grader.export.leaks import must_hide_everything
from grader.text import Text

__all__ = ["public_checks", "student_bundle"]

PUBLIC = Path(__file__).parent / "public"
README = "README.{language}.md"


def student_bundle(exercises: Sequence[str]) -> Bundle:
    """The files of the kit, searched for what is hidden.

    Raises `KitError` where a skeleton, a check or anything else gives a part of it away.
    """
    items = {"check.py": Item((PUBLIC / "check.py").read_bytes(), runs=True)}
    items["checks/running.py"] = Item((PUBLIC / "running.py").read_bytes())
    items["requirements.txt"] = Item(f"numpy\ntorch>=2.4  # made with {torch_version()}\n".encode())
    items["checks/order.txt"] = Item(("\n".join(exercises) + "\n").encode())
    for name in exercises:
        skeleton = skeleton_folder() / f"{name}.py"
        items[f"{name}.py"] = Item(skeleton.read_bytes())
        items[f"checks/{name}.txt"] = Item(public_checks(name).encode())
    for language in ("en", "zh"):
        text = (PUBLIC / README.format(language=language)).read_text(encoding="utf-8")
        table = "\n".join(f"| `{name}.py` | {_title(name, language)} |" for name in exercises)
        name = "README.md" if language == "en" else README.format(language=language)
        filled = text.replace("@TABLE@", table).replace("@VERSION@", grader.__version__)
        items[name] = Item(filled.encode())
    bundle = Bundle(items)
    must_hide_everything(bundle)
    return bundle


def public_checks(name: str) -> str:
    """The examples of a skeleton's docstrings, then those that are written beside them."""
    text = (skeleton_folder() / f"{name}.py").read_text(encoding="utf-8")
    parts = [f"Checks of {name}.py: a title in both languages, then an example."]
    for owner, docstring in _docstrings(ast.parse(text)):
        example = _example(docstring)
        if example:
            parts.append(
                f"## {owner}: the example of its docstring | {owner}：文档字符串中的例子\n\n{example}"
            )
    more = PUBLIC / f"{name}.txt"
    if more.is_file():
        parts.append(more.read_text(encoding="utf-8").strip())
    if len(parts) == 1:
        raise ExerciseError(Text(f"there is no public check of {name}", f"练习 {name} 没有公开检查"))
    return "\n\n".join(parts) + "\n"


def _docstrings(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, inspect.cleandoc(ast.get_docstring(node) or "")


def _example(docstring: str) -> str:
    """The lines of the examples of a docstring."""
    lines: list[str] = []
    for example in doctest.DocTestParser().get_examples(docstring):
        first, *rest = example.source.rstrip("\n").split("\n")
        lines += [f">>> {first}", *(f"... {line}" for line in rest), *example.want.rstrip("\n").split("\n")]
    return "\n".join(line for line in lines if line)


def _title(name: str, language: str) -> str:
    from grader.exercises.registry import exercise

    return exercise(name).title.in_(language)
