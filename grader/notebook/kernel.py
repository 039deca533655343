"""What a running notebook holds: the cells as they were run, and where its functions and classes are from.

Nothing of the learner's is called here: names, code objects and the history are only looked at.
"""

from __future__ import annotations

import inspect
import linecache
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

__all__ = ["Running", "running_notebook", "running_shell"]

OLDER_NAME = re.compile(r"<ipython-input-(\d+)-")


@dataclass(frozen=True)
class Running:
    """cells: number and source, in the order in which they were run; live: the functions and classes that
    are there, with the number of the cell that defined them, None where it cannot be told."""

    cells: tuple[tuple[int, str], ...]
    live: dict[str, int | None]


def running_shell() -> Any:
    """IPython's shell, or None outside; IPython is not imported where it does not run."""
    module = sys.modules.get("IPython")
    found = getattr(module, "get_ipython", None)
    return found() if callable(found) else None


def running_notebook(shell: Any) -> Running:
    """The notebook of a shell."""
    history = getattr(getattr(shell, "history_manager", None), "input_hist_raw", None)
    if not isinstance(history, list):
        history = shell.user_ns.get("In", [])
    cells = {n: source for n, source in enumerate(history) if isinstance(source, str) and source.strip()}
    numbers = getattr(getattr(shell, "compile", None), "_filename_map", None)
    told = numbers if isinstance(numbers, dict) else {}
    live = {name: _cell(code, cells, told) for name, code in _live(shell.user_ns)}
    return Running(tuple(cells.items()), live)


def _live(names: dict[str, Any]) -> Iterator[tuple[str, CodeType | None]]:
    """The functions and classes of the notebook, each with code of it that was written there."""
    for name, found in list(names.items()):
        if not isinstance(name, str) or name.startswith("_"):
            continue
        if inspect.isfunction(found):
            yield name, _innermost(found).__code__
        elif isinstance(found, type) and found.__module__ == "__main__":
            yield name, _method(found)


def _innermost(function: FunctionType) -> FunctionType:
    """Through decorators that say what they wrap."""
    for _ in range(20):
        inner = vars(function).get("__wrapped__")
        if not inspect.isfunction(inner):
            break
        function = inner
    return function


def _method(kind: type) -> CodeType | None:
    """The code of a method that the class itself defines; one that was put in later is of another cell."""
    inside = f"{kind.__qualname__}."
    methods = [m for m in vars(kind).values() if inspect.isfunction(m) and m.__module__ == kind.__module__]
    codes = [m.__code__ for m in methods if m.__qualname__.startswith(inside)]
    return next((c for c in codes if c.co_filename != "<string>"), None)  # as those of a dataclass are


def _cell(code: CodeType | None, cells: dict[int, str], told: dict[str, int]) -> int | None:
    """The cell that a piece of code is from: the one that IPython says, or else the last that holds it."""
    if code is None:
        return None
    older = OLDER_NAME.match(code.co_filename)
    said = told.get(code.co_filename, int(older[1]) if older is not None else None)
    text = "".join(linecache.getlines(code.co_filename)).strip()
    line = linecache.getline(code.co_filename, code.co_firstlineno).strip()
    for words in (text, line):  # magics are written otherwise in what IPython compiles
        holding = [n for n, source in cells.items() if words and words in source]
        if holding:
            return said if said in holding else holding[-1]
    return None
