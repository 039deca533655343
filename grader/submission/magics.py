"""The syntax tree of a cell: what IPython adds to Python is taken out, and every line stays where it was.

Nothing is executed, and IPython is not needed: a line that Python cannot read and that looks like a magic,
a shell command or a request for help becomes ``pass``.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

from grader.submission.bombs import parse

__all__ = ["Parsed", "exercise_of_magic", "parse_cell"]

MAGIC = re.compile(
    r"\s*(?:[%!?]|,\s*\w|;\s*\w|[\w.,\s\[\]()]+=\s*[!%](?!=))"  # %magic, !shell, ?help, ,call  ;call  x = !ls
    r"|.*[\w.\])'\"%]\s*\?{1,2}\s*(?:#.*)?$"  # help?  source??
)
CELL_MAGIC = re.compile(r"\s*%%(\w+)(.*)")
# cell magics whose body is Python that runs in the notebook itself
PYTHON_BODIES = frozenset({"capture", "grade", "prun", "time", "timeit", "debug"})
WRITTEN = re.compile(r"(?:-a\s+)?[\"']?(?:\S*[/\\])?(\w+)\.py[\"']?\s*$")
TRIES = 50


@dataclass(frozen=True)
class Parsed:
    """text: the cell as Python reads it, line for line; tree: None where it is no Python; line and
    reason: of the syntax error; named: the exercise that a cell magic names."""

    text: str
    tree: ast.Module | None
    line: int | None = None
    reason: str = ""
    named: str | None = None


def parse_cell(source: str) -> Parsed:
    """The tree of one cell; a cell in another language is empty."""
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    named = None
    first = next((i for i, line in enumerate(lines) if line.strip()), None)
    found = CELL_MAGIC.match(lines[first]) if first is not None else None
    if first is not None and found is not None:
        magic, rest = found[1], found[2].strip()
        named = exercise_of_magic(magic, rest)
        if named is None and magic not in PYTHON_BODIES:
            return Parsed("\n" * (len(lines) - 1), ast.Module([], []))
        lines[first] = ""
    parsed = _parsed(lines)
    return Parsed(parsed.text, parsed.tree, parsed.line, parsed.reason, named)


def exercise_of_magic(magic: str, rest: str) -> str | None:
    """The module that ``%%grade NAME`` or ``%%writefile NAME.py`` speaks of."""
    if magic == "grade":
        return next((word for word in rest.split() if not word.startswith("-")), None)
    if magic in ("writefile", "file"):
        found = WRITTEN.match(rest)
        return found[1] if found is not None else None
    return None


def _parsed(lines: list[str]) -> Parsed:
    tried: set[int] = set()
    for _ in range(TRIES):
        now = _tree("\n".join(lines))
        if now.tree is not None or now.line is None:
            return now
        index = now.line - 1
        if index in tried or index >= len(lines) or not MAGIC.match(lines[index]):
            break
        tried |= _blank(lines, index)
    # the error may be reported behind the line that causes it: all that looks like a magic goes
    every = list(lines)
    for index, line in enumerate(lines):
        if index not in tried and MAGIC.match(line):
            tried |= _blank(every, index)
    if every != lines:
        later = _tree("\n".join(every))
        if later.tree is not None:
            return later
    return _tree("\n".join(lines))


def _blank(lines: list[str], index: int) -> set[int]:
    """Puts ``pass`` in the place of a line, and takes out those that it is continued on."""
    line = lines[index]
    blanked = {index}
    lines[index] = line[: len(line) - len(line.lstrip())] + "pass"
    while line.rstrip().endswith("\\") and index + 1 < len(lines):
        index += 1
        line, lines[index] = lines[index], ""
        blanked.add(index)
    return blanked


def _tree(text: str) -> Parsed:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Parsed(text, parse(text))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or None
        return Parsed(text, None, line, getattr(error, "msg", None) or str(error))
    except (RecursionError, MemoryError):
        return Parsed(text, None, None, "nested too deeply")
