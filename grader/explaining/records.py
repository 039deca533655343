"""What a demonstration is made of: tables, bars and grids of numbers, and a sentence before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.text import Text

if TYPE_CHECKING:
    from torch import Tensor  # a list of mistakes is printed without it

__all__ = [
    "Bar",
    "Bars",
    "Cell",
    "Demonstration",
    "Grid",
    "Grids",
    "Part",
    "Row",
    "Table",
    "bars",
    "grids",
    "row",
    "table",
]

Cell = Text | str | float | int


@dataclass(frozen=True)
class Row:
    """right: whether this is how it should be (None: neither the right way nor the mistake)."""

    cells: tuple[Cell, ...]
    right: bool | None = None


@dataclass(frozen=True)
class Table:
    """The first column is what a row is about, the others are its numbers."""

    caption: Text
    head: tuple[Cell, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Bar:
    """label, how long it is, and the number that is written at its end."""

    label: Cell
    value: float
    right: bool | None = None


@dataclass(frozen=True)
class Bars:
    """The longest bar is as long as `top`, or as the largest value."""

    caption: Text
    bars: tuple[Bar, ...]
    top: float | None = None


@dataclass(frozen=True)
class Grid:
    """A small matrix of numbers from 0 to 1, drawn as blocks: full is 1, NaN is shown as such."""

    title: Text
    rows: tuple[tuple[float, ...], ...]
    right: bool | None = None


@dataclass(frozen=True)
class Grids:
    """Matrices side by side."""

    caption: Text
    grids: tuple[Grid, ...]


Part = Table | Bars | Grids


@dataclass(frozen=True)
class Demonstration:
    """lead: what is computed; lesson: what the numbers say; facts: the numbers that the lesson rests on."""

    lead: Text
    parts: tuple[Part, ...]
    lesson: Text
    facts: Mapping[str, float] = field(default_factory=dict)


# -- short forms, for the modules that make them ----------------------------------------------------


def row(*cells: Cell, right: bool | None = None) -> Row:
    """One row of a table."""
    return Row(cells, right)


def table(en: str, zh: str, head: Sequence[Cell], rows: Sequence[Row]) -> Table:
    """A table with its caption."""
    return Table(Text(en, zh), tuple(head), tuple(rows))


def bars(en: str, zh: str, found: Sequence[Bar], top: float | None = None) -> Bars:
    """Bars with their caption."""
    return Bars(Text(en, zh), tuple(found), top)


def grids(en: str, zh: str, found: Mapping[Text, Tensor], right: Text | None = None) -> Grids:
    """Matrices by title; `right` is the title of the one that is right."""
    made = tuple(
        Grid(
            title,
            tuple(tuple(float(v) for v in line) for line in matrix.double().tolist()),
            None if right is None else title == right,
        )
        for title, matrix in found.items()
    )
    return Grids(Text(en, zh), made)
