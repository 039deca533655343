"""Puts modules together from the cells of a notebook: one for each exercise that it holds.

A module holds the definitions of the exercise and what they stand on, found by their names, in the order
of the cells; of what is defined twice the last counts, as in the notebook.  What belongs to an earlier
exercise of the same notebook is imported from its module, so that its mistakes stay its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from grader.exercises.registry import exercise, module_names
from grader.submission.decoding import MAX_FILE, parse_text, unreadable
from grader.submission.files import SourceFile
from grader.submission.gathering import Broken, Gathered, Placed
from grader.submission.notebook import Cell
from grader.submission.pieces import Piece
from grader.submission.places import Naming, Places, Spot
from grader.text import Text

__all__ = ["Assembled", "assemble"]

FROM = re.compile(r"from (\w+) import (\w+|\*)")


@dataclass(frozen=True)
class Assembled:
    """files: by exercise; notes: what was left out and may be missed."""

    files: dict[str, SourceFile]
    notes: tuple[Text, ...] = ()


@dataclass
class _Module:
    """A module in the making: the pieces by index, and what is imported from earlier exercises."""

    chosen: dict[int, Placed] = field(default_factory=dict)
    imported: dict[tuple[str, str], Spot] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class _Need:
    """A module needs a name; by: the piece that does, None for what the exercise asks for; eager: at
    once, when the module is loaded."""

    module: str
    name: str
    by: Placed | None = None
    eager: bool = False


def assemble(
    cells: Sequence[Cell], naming: Naming, live: Mapping[str, int | None] | None = None
) -> Assembled:
    """The modules of all exercises that the cells hold.

    live: in a running notebook, the functions and classes that are defined at present and the cells that
    they come from (None where that is not known); a definition in another cell does not count.
    """
    return _Assembling(Gathered(cells, naming, live)).assembled()


class _Assembling:
    def __init__(self, cells: Gathered) -> None:
        self.cells = cells
        self.naming = cells.naming
        self.modules = {name: _Module() for name in cells.ids}
        self.notes: list[Text] = []
        self.waiting: list[_Need] = []

    def assembled(self) -> Assembled:
        for identity in self.cells.ids:
            self._start(identity)
        while self.waiting:
            self._satisfy(self.waiting.pop())
        blamed = {identity: self.cells.blamed(identity) for identity in self.cells.ids}
        files = {name: self._file(name, broken) for name, broken in blamed.items()}
        for broken in self.cells.broken if self.cells.live is None else ():  # a kernel has said so itself
            if broken not in blamed.values():
                self.notes.append(_skipped(broken, self.naming))
        return Assembled(files, tuple(dict.fromkeys(self.notes)))

    # -- which pieces ---------------------------------------------------------------------------

    def _start(self, identity: str) -> None:
        there = [e.name for e in exercise(identity).entries if self.cells.defining(e.name)]
        self.waiting += [_Need(identity, name) for name in there]
        if not there:  # so that a name that is nearly right can be pointed at
            for placed in self.cells.placed:
                if identity in placed.owners and placed.piece.kind == "definition":
                    self._take(identity, placed)

    def _satisfy(self, need: _Need) -> None:
        """Takes into a module what defines a name."""
        identity, name, by = need.module, need.name, need.by
        earlier = self.cells.owner.get(name)
        if by is not None and earlier is not None and self._is_theirs(name, earlier, identity):
            self.modules[identity].imported.setdefault((earlier, name), by.spot)
            self.waiting.append(_Need(earlier, name))
            return
        found = self.cells.choice(identity, name, by if need.eager else None)
        if found is None:
            if by is not None and name not in self.cells.by_name:
                self._miss(name, by)
            return
        if found.piece.kind == "constant" and found.piece.calls - self.cells.harmless and by is not None:
            self._miss(name, by)
            return
        self._take(identity, found)
        others = {p.piece.text: p for p in self.cells.by_name[name]}
        for text, placed in others.items():
            changed = placed.piece.kind == "patch" and placed.index > found.index
            # `import torch` and `import torch.nn` bind the same name
            dotted = text != found.piece.text and _is_dotted(placed.piece) and _is_dotted(found.piece)
            if changed or dotted:
                self._take(identity, placed)

    def _take(self, identity: str, placed: Placed) -> None:
        module = self.modules[identity]
        if placed.index in module.chosen:
            return
        module.chosen[placed.index] = placed
        source = FROM.match(placed.piece.text) if placed.piece.kind == "import" else None
        if source is not None and source[1] in self.modules:  # of the same notebook: it has to be there
            self.waiting.append(_Need(source[1], source[2]))
        eager, lazy = placed.piece.needs
        self.waiting += [_Need(identity, name, placed, eager=True) for name in sorted(eager)]
        self.waiting += [_Need(identity, name, placed) for name in sorted(lazy - module.seen)]
        module.seen |= lazy

    def _is_theirs(self, name: str, earlier: str, identity: str) -> bool:
        """An earlier exercise's, which this one's own cells do not define anew."""
        own = any(p.owners == {identity} for p in self.cells.defining(name))
        return _is_before(earlier, identity) and not own

    def _miss(self, name: str, by: Placed) -> None:
        spot = self.cells.left.get(name)
        if spot is None:
            return
        there, here = self.naming.spot(spot), self.naming.spot(by.spot)
        self.notes.append(
            Text(
                f"{there} works out {name} by running other code, and what {here} defines uses it: such "
                "a cell is not run, so make the value where it is used",
                f"{there} 通过运行其他代码得到 {name}，而 {here} 的定义用到了它：这样的单元不会运行，"
                "请在使用的地方生成这个值",
            )
        )

    # -- the text -------------------------------------------------------------------------------

    def _file(self, identity: str, broken: Broken | None) -> SourceFile:
        name = f"{identity}.py"
        if broken is not None:
            text = broken.parsed.text
            spots = [Spot(broken.cell.number, n + 1) for n in range(text.count("\n") + 1)]
        else:
            text, spots = self._written(identity)
        if len(text) > MAX_FILE:
            size = MAX_FILE >> 10
            words = Text(f"{name} is larger than {size} KiB", f"{name} 超过 {size} KiB")
            file = unreadable(identity, name, words)
        else:
            file = parse_text(identity, name, text)
        return replace(file, places=Places(self.naming, identity, tuple(spots)))

    def _written(self, identity: str) -> tuple[str, list[Spot]]:
        """The text of a module, and the spot of each of its lines."""
        module = self.modules[identity]
        pieces = list(module.chosen.values())
        if pieces:
            pieces += [p for p in self.cells.placed if _for_all(p.piece, identity)]
        pieces.sort(key=lambda p: (p.piece.kind != "future", p.index))
        lines: list[str] = []
        spots: list[Spot] = []

        def add(text: str, spot: Spot, *, same: bool = False) -> None:
            for offset, line in enumerate(text.split("\n")):
                lines.append(line)
                spots.append(spot if same else Spot(spot.cell, spot.line + offset))

        futures = [p for p in pieces if p.piece.kind == "future"]
        for placed in futures:
            add(placed.piece.text, placed.spot)
        order = module_names()
        for (source, name), spot in sorted(
            module.imported.items(), key=lambda item: (order.index(item[0][0]), item[0][1])
        ):
            add(f"from {source} import {name}", spot, same=True)
        for placed in pieces[len(futures) :]:
            if placed.piece.kind not in ("import", "star") and lines:
                add("\n", placed.spot, same=True)
            add(placed.piece.text, placed.spot)
        return "\n".join(lines) + ("\n" if lines else ""), spots


def _is_before(earlier: str, identity: str) -> bool:
    order = module_names()
    return order.index(earlier) < order.index(identity)


def _is_dotted(piece: Piece) -> bool:
    return piece.kind == "import" and piece.text.startswith("import ") and " as " not in piece.text


def _for_all(piece: Piece, identity: str) -> bool:
    """What every module gets: nobody knows what comes with a star."""
    if piece.kind != "star":
        return piece.kind == "future"
    source = FROM.match(piece.text)
    if source is None or source[1] not in module_names():
        return True
    return _is_before(source[1], identity)


def _skipped(broken: Broken, naming: Naming) -> Text:
    line = broken.parsed.line
    cell = broken.cell.number
    where = naming.spot(Spot(cell, line)) if line else naming.cell(cell)
    why = broken.parsed.reason
    return Text(
        f"{where} is no Python ({why}); this cell is left out",
        f"{where} 不是合法的 Python（{why}）；已跳过这个单元",
    )
