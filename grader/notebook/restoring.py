"""Puts the skeleton of one exercise back into a notebook; every other cell stays as it was.

The cells of an exercise are known by their tag, by the name that `grade init --notebook` gave them (which
not every editor keeps), and by what they define.  Outputs and metadata stay, those of the cells themselves
included, as when somebody types the skeleton again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grader.errors import UsageError
from grader.exercises.registry import all_exercises, module_names
from grader.notebook.skeletons import skeleton_codes, skeleton_section
from grader.submission.gathering import mentions
from grader.submission.magics import parse_cell
from grader.submission.notebook import cell_code, cell_exercises, notebook_content
from grader.submission.pieces import pieces_of
from grader.text import Text

__all__ = ["restored"]

KINDS = ("definition", "constant")  # of pieces that give a name its value


def restored(name: str, data: bytes, exercise: str) -> bytes:
    """The bytes of the notebook with the skeleton of the exercise; the same where it is there already.

    Further cells that define something of the exercise go: the last definition is what counts.
    Raises `SubmissionError` where it is no notebook, and `UsageError` where a cell that would have to go
    holds another exercise as well.
    """
    content = notebook_content(name, data)
    cells = _cells(content)
    looked = [_look(cell, exercise) for cell in cells]
    for number, seen in _numbered(cells, looked):
        if seen.defines and seen.others:
            raise _shared(name, number, exercise, seen.others)
    codes = skeleton_codes(exercise)
    own = [i for i, seen in enumerate(looked) if seen.own]
    sections = [_as_written(dict(cell), content) for cell in skeleton_section(exercise)]
    if not own:
        at = _before_later(cells, exercise)
        cells[at:at] = _with_own_names(sections, cells)
        return _written(content, data)
    placed = _placed(codes, own, cells, looked, exercise)
    gone = [i for i in own if looked[i].defines and i not in placed.values()]
    if [cell_code(cells[i]) for i in placed.values()] == codes and not gone:
        return data
    for part, index in placed.items():
        _write(cells[index], codes[part])
    parts = [cell for cell in sections if cell["cell_type"] == "code"][: len(codes)]
    missing = {part: cell for part, cell in enumerate(parts) if part not in placed}
    _with_own_names(list(missing.values()), cells)
    after: dict[int, list[Any]] = {}
    for part, cell in missing.items():
        above = [index for other, index in placed.items() if other < part]
        after.setdefault(max(above) if above else min([*placed.values(), *own]) - 1, []).append(cell)
    kept = [[cell] if i not in gone else [] for i, cell in enumerate(cells)]
    cells[:] = [*after.get(-1, ()), *(c for i, one in enumerate(kept) for c in [*one, *after.get(i, ())])]
    return _written(content, data)


# -- which cells ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Seen:
    """A cell, for one exercise.

    own: it belongs to it; defines: one of its names, or would if it were Python; names: all that it defines;
    others: the exercises besides whose names it defines; imports: it does nothing else.
    """

    own: bool = False
    defines: bool = False
    names: frozenset[str] = frozenset()
    others: tuple[str, ...] = ()
    imports: bool = False


def _cells(content: dict[str, Any]) -> list[Any]:
    """The list that holds the cells; before version 4 that of the first sheet."""
    cells = content.get("cells")
    if not isinstance(cells, list):
        sheets = content.get("worksheets")
        first = sheets[0] if isinstance(sheets, list) and sheets and isinstance(sheets[0], dict) else {}
        cells = first.setdefault("cells", [])
    return cells if isinstance(cells, list) else []


def _look(cell: Any, exercise: str) -> _Seen:
    if not isinstance(cell, dict) or cell.get("cell_type") != "code":
        return _Seen()
    parsed = parse_cell(cell_code(cell))
    tagged = exercise in (*cell_exercises(cell), parsed.named) or _is_ours(cell, exercise)
    if parsed.tree is None:
        would = [e.id for e in all_exercises() if mentions(parsed.text, e)]
        own = tagged or exercise in would
        return _Seen(own, exercise in would, others=tuple(n for n in would if own and n != exercise))
    pieces = pieces_of(parsed.tree, parsed.text)
    names = frozenset(name for p in pieces if p.kind in KINDS for name in p.binds)
    whose = [e.id for e in all_exercises() if any(entry.name in names for entry in e.entries)]
    own = tagged or exercise in whose
    return _Seen(
        own,
        exercise in whose,
        names,
        tuple(n for n in whose if own and n != exercise),
        bool(pieces) and all(p.kind in ("future", "import", "star") for p in pieces),
    )


def _is_ours(cell: dict[str, Any], exercise: str) -> bool:
    return re.fullmatch(rf"{exercise}-\d+", str(cell.get("id"))) is not None


def _numbered(cells: list[Any], looked: list[_Seen]) -> Iterator[tuple[int, _Seen]]:
    """The cells of code with the numbers by which reports name them."""
    number = 0
    for cell, seen in zip(cells, looked):
        if isinstance(cell, dict) and cell.get("cell_type") == "code" and cell_code(cell).strip():
            number += 1
            yield number, seen


def _placed(
    codes: list[str], own: list[int], cells: list[Any], looked: list[_Seen], exercise: str
) -> dict[int, int]:
    """Which cell each part of the skeleton goes to: by its name, by what it defines, or as the imports do."""
    wanted = [_look({"cell_type": "code", "source": code}, exercise) for code in codes]
    placed: dict[int, int] = {}

    def take(part: int, fits: list[int]) -> None:
        free = [i for i in fits if i not in placed.values()]
        if part not in placed and free:
            placed[part] = free[-1]

    for part in range(len(codes)):
        take(part, [i for i in own if cells[i].get("id") == f"{exercise}-{part + 1}"])
    for part, new in enumerate(wanted):
        take(part, [i for i in own if new.names & looked[i].names])
    for part, new in enumerate(wanted):
        take(part, [i for i in own if new.imports and looked[i].imports][:1])
        same = [i for i, seen in enumerate(looked) if seen.imports and cell_code(cells[i]) == codes[part]]
        take(part, same[:1])  # they stand there already
        take(part, [i for i in own if not new.imports and looked[i].defines and not looked[i].names][:1])
    return dict(sorted(placed.items()))


def _before_later(cells: list[Any], exercise: str) -> int:
    """In front of the first cell of a later exercise."""
    order = module_names()
    for later in order[order.index(exercise) + 1 :]:
        for index, cell in enumerate(cells):
            if _look(cell, later).own:
                above = cells[index - 1] if index else None
                text = isinstance(above, dict) and above.get("id") == f"{later}-text"
                return index - 1 if text else index
    return len(cells)


def _shared(name: str, number: int, exercise: str, others: tuple[str, ...]) -> UsageError:
    listed = Text.join([Text.same(other) for other in others])
    return UsageError(
        Text(
            f"{name}[cell {number}] holds {exercise} together with {listed.en}: split the cell in two, so "
            "that one of them can be reset, and save the notebook",
            f"{name}[cell {number}] 中除了 {exercise} 还有 {listed.zh}：请把它拆成两个单元并保存 notebook，"
            "这样才能只重置其中一个",
        )
    )


# -- the new cells ----------------------------------------------------------------------------------


def _write(cell: dict[str, Any], code: str) -> None:
    key = "source" if "source" in cell or "input" not in cell else "input"
    cell[key] = code.splitlines(keepends=True) if isinstance(cell.get(key), list) else code


def _as_written(cell: dict[str, Any], content: dict[str, Any]) -> dict[str, Any]:
    """A new cell in the form of this notebook's version."""
    major, minor = content.get("nbformat"), content.get("nbformat_minor")
    if (major, minor) < (4, 5) if isinstance(major, int) and isinstance(minor, int) else True:
        cell.pop("id", None)
    if isinstance(major, int) and major < 4 and cell["cell_type"] == "code":
        cell["input"] = cell.pop("source")
        cell["language"] = "python"
    else:
        cell["source"] = cell["source"].splitlines(keepends=True)
    return cell


def _with_own_names(new: list[dict[str, Any]], cells: list[Any]) -> list[dict[str, Any]]:
    taken = {cell.get("id") for cell in cells if isinstance(cell, dict)}
    for cell in new:
        name, number = cell.get("id"), 2
        while name is not None and cell["id"] in taken:
            cell["id"] = f"{name}-again-{number}"
            number += 1
        taken.add(cell.get("id"))
    return new


def _written(content: dict[str, Any], data: bytes) -> bytes:
    """In the form that the file had: Jupyter, VS Code and Colab indent otherwise."""
    start = re.match(rb"(?:\xef\xbb\xbf)?\s*\{\r?\n([ \t]+)", data)
    indent = start[1].decode() if start is not None else None
    text = json.dumps(content, ensure_ascii=data.isascii(), indent=indent)
    text += "\n" if data.endswith(b"\n") else ""
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a character in some output
        return (json.dumps(content, indent=indent) + text[len(text.rstrip("\n")) :]).encode()
