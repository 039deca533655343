"""Reads the cells of a notebook: which pieces there are, and which exercise each of them belongs to."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from grader.errors import SubmissionError
from grader.exercises.registry import Exercise, all_exercises, exercise, module_names
from grader.submission.magics import Parsed, parse_cell
from grader.submission.notebook import Cell
from grader.submission.pieces import Piece, leftovers, pieces_of
from grader.submission.places import Naming, Spot
from grader.text import Text

__all__ = ["Broken", "Gathered", "Placed", "entries_among", "mentions"]

MAX_STATEMENTS = 20_000
ENOUGH = 0.5  # of an exercise's names: fewer may be helpers of another one


@dataclass(frozen=True)
class Placed:
    """A piece and where it stands; index: of all pieces of the notebook; owners: the exercises that its
    cell belongs to, and named: those that a tag says it does."""

    piece: Piece
    cell: int
    index: int
    owners: frozenset[str]
    named: frozenset[str]

    @property
    def spot(self) -> Spot:
        """Where it begins."""
        return Spot(self.cell, self.piece.line)

    @property
    def defines(self) -> bool:
        """It gives its names their value."""
        return self.piece.kind in ("definition", "constant")


@dataclass(frozen=True)
class Broken:
    """A cell that Python cannot read."""

    cell: Cell
    parsed: Parsed
    owners: frozenset[str]


class Gathered:
    """What the cells hold.

    ids: the exercises; placed, by_name: the pieces, in their order; broken: cells that are no Python; left:
    names that other statements assign; harmless: what a constant may call when a module is loaded; owner:
    the exercise that a name belongs to, where there is exactly one.
    """

    def __init__(self, cells: Sequence[Cell], naming: Naming, live: Mapping[str, int | None] | None) -> None:
        self.naming = naming
        self.live = live
        self.placed: list[Placed] = []
        self.broken: list[Broken] = []
        self.left: dict[str, Spot] = {}
        self._tagged: set[str] = set()
        self._statements = 0
        for cell in cells:
            self._read(cell)
        self.by_name: dict[str, list[Placed]] = {}
        for placed in self.placed:
            for name in placed.piece.binds:
                self.by_name.setdefault(name, []).append(placed)
        self.harmless = {
            name for p in self.placed if p.piece.kind == "import" or p.piece.record for name in p.piece.binds
        }
        self.ids = self._ids()
        self.owner = self._owner()

    def defining(self, name: str) -> list[Placed]:
        """The definitions and assignments of a name."""
        return [p for p in self.by_name.get(name, ()) if p.defines]

    def choice(self, identity: str, name: str, before: Placed | None) -> Placed | None:
        """The last piece that defines a name: before the one that needs it at once, where there is such
        a piece; what an exercise asks for is taken from the cells with its tag first."""
        found = [p for p in self.by_name.get(name, ()) if p.piece.kind != "patch"]
        tagged = [p for p in found if identity in p.named and p.piece.kind != "import"]
        for group in (tagged, found) if entries_among([name]) else (found,):
            if before is not None:
                above = [p for p in group if p.index < before.index]
                if above:
                    return above[-1]
                group = [p for p in group if p.index != before.index]
            if group:
                return group[-1]
        return None

    def blamed(self, identity: str) -> Broken | None:
        """The cell that keeps an exercise from being read: the last that would define one of its names,
        with no definition behind it; or one of its own, where a name is defined nowhere."""
        which = exercise(identity)
        defining = [self.defining(e.name) for e in which.entries]
        last = max((p.cell for found in defining for p in found), default=0)
        whole = all(defining)
        for broken in reversed(self.broken):
            if mentions(broken.parsed.text, which) and (broken.cell.number > last or not whole):
                return broken
            if identity in broken.owners and not whole:
                return broken
        return None

    # -- reading --------------------------------------------------------------------------------

    def _read(self, cell: Cell) -> None:
        parsed = parse_cell(cell.source)
        named = {*cell.named, *([parsed.named] if parsed.named else ())} & set(module_names())
        self._tagged |= named
        if parsed.tree is None:
            self.broken.append(Broken(cell, parsed, frozenset(named)))
            return
        self._statements += len(parsed.tree.body)
        if self._statements > MAX_STATEMENTS:
            raise _too_many(self.naming)
        pieces = pieces_of(parsed.tree, parsed.text)
        bound = {name for p in pieces if p.kind != "import" for name in p.binds}
        # a cell without a tag belongs to the exercises whose names it defines
        owners = named or {e.id for e in all_exercises() if any(n.name in bound for n in e.entries)}
        whose = frozenset(owners), frozenset(named)
        for piece in pieces:
            if self._counts(piece, cell.number):
                self.placed.append(Placed(piece, cell.number, len(self.placed), *whose))
        for name, line in leftovers(parsed.tree).items():
            self.left[name] = Spot(cell.number, line)

    def _counts(self, piece: Piece, cell: int) -> bool:
        """In a running notebook: whether a definition is the one that is there."""
        if self.live is None or piece.kind != "definition":
            return True
        known = [self.live[name] for name in piece.binds if name in self.live]
        return all(n in (None, cell) for n in known) if known else not entries_among(piece.binds)

    # -- which exercises ------------------------------------------------------------------------

    def _ids(self) -> tuple[str, ...]:
        """The exercises that the notebook holds: tagged, named by its file, or at least half defined."""
        shares = {e.id: self._share(e) for e in all_exercises()}
        found = {n for n, share in shares.items() if share >= ENOUGH} | self._tagged
        found |= {self.naming.module} & set(shares)
        found |= {e.id for e in all_exercises() if any(mentions(b.parsed.text, e) for b in self.broken)}
        if not found and max(shares.values()) > 0:
            found = {max(shares, key=lambda n: shares[n])}
        return tuple(n for n in module_names() if n in found)

    def _share(self, which: Exercise) -> float:
        return sum(bool(self.defining(e.name)) for e in which.entries) / len(which.entries)

    def _owner(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for placed in self.placed:
            owners = placed.owners & set(self.ids)
            if placed.defines and len(owners) == 1:
                for name in placed.piece.binds:
                    found[name] = next(iter(owners))
        for identity in self.ids:
            for entry in exercise(identity).entries:
                if self.defining(entry.name):
                    found[entry.name] = identity
        return found


def entries_among(names: Iterable[str]) -> Collection[str]:
    """Those of the names that exercises ask for."""
    return {e.name for which in all_exercises() for e in which.entries} & set(names)


def _too_many(naming: Naming) -> SubmissionError:
    name = Text("this notebook", "当前 notebook") if naming.file is None else Text.same(naming.file)
    return SubmissionError(
        Text(
            f"{name.en} holds more than {MAX_STATEMENTS} statements: keep only the exercises in it",
            f"{name.zh} 中的语句超过 {MAX_STATEMENTS} 条：请只保留练习部分",
        )
    )


def mentions(text: str, which: Exercise) -> bool:
    """Whether a cell that cannot be read would define an entry of the exercise."""
    names = "|".join(re.escape(e.name) for e in which.entries)
    return (
        re.search(rf"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(?:{names})\b", text, re.MULTILINE) is not None
    )
