"""What `grade solution` prints: the reference and the learner's own, part by part."""

from __future__ import annotations

import ast

from rich.console import RenderableType
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text as Styled

from grader.reports.cleaning import clean
from grader.reports.paper import Paper
from grader.submission.files import SourceFile
from grader.text import Text

__all__ = ["parts", "solution_page", "without_docstrings"]

WIDE = 110
GAP = 3
THEME = "ansi_dark"


def solution_page(
    name: str, mine: SourceFile | None, reference: SourceFile, paper: Paper
) -> list[RenderableType]:
    """Every part of the reference with the learner's of the same name; then what only the learner has."""
    own = parts(mine)
    page: list[RenderableType] = []
    page += paper.lines(Styled(paper.say(_title(name, mine)), "bold"))
    for part, code in parts(reference).items():
        page += [Styled(), *_pair(part, own.pop(part, None), code, paper)]
    for part, code in own.items():
        page += [Styled(), *_pair(part, code, None, paper)]
    words = Text(
        "There are many right ways to write this; the reference is one. Docstrings are left out.",
        "正确的写法有很多种，参考答案只是其中之一。此处省略了文档字符串。",
    )
    return [*page, Styled(), *paper.lines(paper.say(words), style="dim")]


def parts(file: SourceFile | None) -> dict[str, str]:
    """The functions and classes of a file by name, without their docstrings; a file that cannot be read
    has none."""
    if file is None or file.tree is None:
        return {}
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = {}
    for node in file.tree.body:
        if isinstance(node, kinds):
            found[node.name] = without_docstrings(file.text, node)
    return found


def without_docstrings(source: str, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
    """The text of a definition, decorators included, and no docstring in it."""
    lines = source.split("\n")
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    left_out = {line for inner in ast.walk(node) for line in _docstring_lines(inner)}
    kept = [
        lines[number - 1]
        for number in range(first, (node.end_lineno or node.lineno) + 1)
        if number not in left_out
    ]
    return _no_double_gaps(clean("\n".join(kept)))


def _docstring_lines(node: ast.AST) -> range:
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return range(0)
    head, *rest = node.body
    is_text = isinstance(head, ast.Expr) and isinstance(head.value, ast.Constant)
    if not is_text or not isinstance(head.value.value, str) or not rest:  # type: ignore[attr-defined]
        return range(0)
    if head.lineno == node.lineno:  # all on one line
        return range(0)
    return range(head.lineno, (head.end_lineno or head.lineno) + 1)


def _no_double_gaps(code: str) -> str:
    """No empty lines where a docstring was taken out after a head, nor two of them in a row."""
    kept: list[str] = []
    for line in code.expandtabs(4).split("\n"):
        after_head = bool(kept) and kept[-1].rstrip().endswith(":")
        if not line.strip() and (not kept or not kept[-1].strip() or after_head):
            continue
        kept.append(line.rstrip())
    return "\n".join(kept).rstrip()


# -- the page ---------------------------------------------------------------------------------------


def _title(name: str, mine: SourceFile | None) -> Text:
    if mine is None:
        return Text(f"{name}: the reference (you have no {name}.py)", f"{name}：参考答案（你没有 {name}.py）")
    if mine.tree is None:
        called = mine.places.whole if mine.places is not None else Text.same(f"{name}.py")
        return Text(
            f"{name}: the reference ({called.en} cannot be read)", f"{name}：参考答案（无法读取 {called.zh}）"
        )
    return Text(f"{name}: yours and the reference", f"{name}：你的代码与参考答案")


def _pair(part: str, mine: str | None, reference: str | None, paper: Paper) -> list[RenderableType]:
    yours, theirs = Text("yours", "你的"), Text("reference", "参考")
    if mine is not None and reference is not None and paper.width >= WIDE:
        width = (paper.width - GAP) // 2
        grid = Table.grid(padding=(0, GAP, 0, 0))
        grid.add_column(width=width)
        grid.add_column(width=width)
        grid.add_row(_head(part, yours, paper), _head(part, theirs, paper))
        grid.add_row(_code(mine, width), _code(reference, width))
        return [grid]
    page: list[RenderableType] = []
    for code, whose in ((mine, yours), (reference, theirs)):
        if code is not None:
            page += [*([Styled()] if page else []), _head(part, whose, paper), _code(code, paper.width)]
    return page


def _head(part: str, whose: Text, paper: Paper) -> Styled:
    head = Styled.assemble((f"{paper.glyphs.rule * 2} ", "dim"), (clean(part), "bold"), "  ")
    return head.append(paper.say(whose), "cyan")


def _code(code: str, width: int) -> RenderableType:
    return Syntax(code, "python", theme=THEME, background_color="default", word_wrap=True, code_width=width)
