"""Makes the notebook of `grade init --notebook` from the skeletons: one source for both."""

from __future__ import annotations

import ast
import re
from typing import Any

from grader.data import skeleton_folder
from grader.exercises.registry import all_exercises, module_names
from grader.submission.notebook import TAG
from grader.text import Text

__all__ = ["NAME", "skeleton_codes", "skeleton_notebook", "skeleton_section"]

NAME = "transformer.ipynb"
INTRODUCTION = Text(
    "# The Transformer, by hand\n\n"
    "These exercises build on each other, each with its TODOs. Run a cell after you have written it, "
    "then the cell below the exercise: it grades what is defined in this notebook at that moment, and says "
    "which mistake it is, in which cell, and why it matters. In a terminal, `grade run {name}` grades all "
    "that is saved.\n\n"
    "Only imports, functions, classes and the constants that they use are graded; plots, training and other "
    "cells are yours.",
    "# 手写 Transformer\n\n"
    "这些练习依次递进，各有 TODO。写好一个单元后先运行它，再运行练习末尾的单元：它会评判此刻 notebook "
    "中的定义，指出是哪个错误、在哪个单元、为什么重要。在终端中，`grade run {name}` 会评判"
    "已保存的全部内容。\n\n"
    "只评判导入、函数、类以及它们用到的常量；绘图、训练和其他单元由你自由使用。",
).format(name=NAME)


def skeleton_notebook(language: str) -> str:
    """The notebook as JSON text: always the same for a language."""
    import nbformat
    import nbformat.v4

    v4: Any = nbformat.v4
    cells = [_markdown("introduction", INTRODUCTION.in_(language))]
    for exercise in all_exercises():
        cells += skeleton_section(exercise.id)
    notebook = v4.new_notebook(
        cells=cells,
        metadata={
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
    )
    notebook.nbformat_minor = 5  # the first with ids, which every Jupyter of today reads
    nbformat.validate(notebook)
    text: str = v4.writes_json(notebook, indent=1, ensure_ascii=False)
    return text + "\n"


def skeleton_section(name: str) -> list[Any]:
    """What the skeleton of an exercise says as text, its code in cells, and the cell that grades."""
    import nbformat.v4

    v4: Any = nbformat.v4
    tree = _skeleton(name)[1]
    title, _, rest = (ast.get_docstring(tree) or name).partition("\n")
    cells = [_markdown(f"{name}-text", f"## {title.rstrip('.')}\n{rest}".strip())]
    for number, code in enumerate(skeleton_codes(name), 1):
        cell = v4.new_code_cell(code, id=f"{name}-{number}", metadata={"tags": [f"{TAG}{name}"]})
        cells.append(cell)
    graded = f'from grader import check\n\ncheck("{name}")'
    return [*cells, v4.new_code_cell(graded, id=f"{name}-check")]


def skeleton_codes(name: str) -> list[str]:
    """The code of an exercise's cells, in their order."""
    return _codes(*_skeleton(name))


def _skeleton(name: str) -> tuple[str, ast.Module]:
    source = (skeleton_folder() / f"{name}.py").read_text(encoding="utf-8")
    return source, ast.parse(source)


def _codes(source: str, tree: ast.Module) -> list[str]:
    """The imports in one cell, then a cell for each function and class; comments stay with what follows.

    The earlier exercises need no import: they stand in the cells above.
    """
    lines = source.split("\n")
    codes: list[list[str]] = [[]]
    end = 0
    for node in tree.body:
        text = lines[end : node.end_lineno]
        end = node.end_lineno or end
        if isinstance(node, ast.Expr):  # the docstring, which is the text above
            continue
        if isinstance(node, ast.ImportFrom) and node.module in module_names():
            continue
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            codes.append([])
        codes[-1] += text
    return [code for part in codes if (code := re.sub(r" +# noqa.*", "", "\n".join(part)).strip("\n"))]


def _markdown(name: str, text: str) -> Any:
    import nbformat.v4

    v4: Any = nbformat.v4
    return v4.new_markdown_cell(text, id=name)
