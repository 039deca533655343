"""A grading kit for "hand-write the Transformer" exercises.

The package is laid out in three wings and a wall; see ``CONTRIBUTING.md``.  Importing it is cheap:
torch and the suites are loaded only by the commands that grade.

In a notebook: ``from grader import check``, then ``check("attention")``; or ``%load_ext grader``, then
``%%grade attention`` above the code of a cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.notebook.check import check
    from grader.notebook.magic import load_ipython_extension

__version__ = "0.1.0"

__all__ = ["__version__", "check", "load_ipython_extension"]


def __getattr__(name: str) -> Any:
    if name == "check":
        from grader.notebook.check import check

        return check
    if name == "load_ipython_extension":
        from grader.notebook.magic import load_ipython_extension

        return load_ipython_extension
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
