"""What `grade precision` finds, as frozen records."""

from __future__ import annotations

from dataclasses import dataclass

from grader.text import Text

__all__ = ["COLUMNS", "Cell", "Precision", "Row"]

COLUMNS = ("float64", "float32", "bfloat16", "float16", "autocast")


@dataclass(frozen=True)
class Cell:
    """One call in one dtype.  state: ``right``; ``open``, where the exercise leaves open what makes the
    difference; ``beyond``, where it leaves the range of the dtype and may; ``wrong``.

    units: the largest error, in the dtype's rounding units of the largest value; allowed: what would still be
    rounding; note: what is wrong.
    """

    column: str
    state: str
    units: float | None = None
    allowed: float | None = None
    note: Text | None = None
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class Row:
    """A call, in all dtypes."""

    target: str
    title: Text
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Precision:
    """An exercise; note: why there are no rows."""

    id: str
    rows: tuple[Row, ...] = ()
    note: Text | None = None

    @property
    def right(self) -> bool:
        return self.note is None and all(c.state != "wrong" for row in self.rows for c in row.cells)
