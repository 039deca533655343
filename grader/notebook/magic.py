"""``%%grade attention``: runs the code of a cell in the notebook as usual, then grades it."""

from __future__ import annotations

from typing import Any

from grader.notebook.check import Checked, check
from grader.text import LANGUAGES

__all__ = ["grade_cell", "load_ipython_extension"]


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext grader``."""

    def grade(line: str, cell: str | None = None) -> Checked | None:
        """%%grade EXERCISE [en|zh]: run the cell, then grade the exercise; %grade EXERCISE: only grade it."""
        return grade_cell(shell, line, cell)

    shell.register_magic_function(grade, "line_cell", "grade")


def grade_cell(shell: Any, line: str, cell: str | None) -> Checked | None:
    """None where the cell itself failed: IPython has shown why."""
    words = line.split()
    language = next((w for w in words if w in LANGUAGES), None)
    names = [w for w in words if w not in LANGUAGES]
    if cell is not None and not shell.run_cell(cell, store_history=False).success:
        return None
    return check(names[0] if names else "", lang=language)
