"""One map of numbers, as a frozen record without tensors."""

from __future__ import annotations

from dataclasses import dataclass

from grader.text import Text

__all__ = ["FUTURE", "OTHER", "PADDING", "Cells", "Matrix", "Picture"]

Matrix = tuple[tuple[float, ...], ...]
Cells = tuple[tuple[str, ...], ...]
FUTURE, PADDING, OTHER = "future", "padding", "other"  # why a cell is forbidden; an allowed one is ""


@dataclass(frozen=True)
class Picture:
    """A value for each row and column.

    scene: the example that the map belongs to, and part: which of its maps it is, if it has several;
    kind: ``weights`` (shares of attention), ``keep`` (a mask of 0 and 1), ``influence`` (how much a row's
    result changes with a column's input) or ``values`` (numbers of either sign); yours: None where there
    is nothing to show, and then `why_not` says why; forbidden: the cells in which nothing should be, and
    for which reason; alike: differences up to this share of the largest value are rounding.
    """

    scene: Text
    kind: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_axis: Text
    column_axis: Text
    expected: Matrix
    yours: Matrix | None = None
    forbidden: Cells = ()
    part: Text | None = None
    why_not: Text | None = None
    alike: float = 1e-5

    def reason(self, row: int, column: int) -> str:
        """Why nothing should be in this cell; empty where something may."""
        return self.forbidden[row][column] if self.forbidden else ""

    @property
    def top(self) -> float:
        """The largest value that is expected: shares and masks go up to one."""
        if self.kind in ("weights", "keep"):
            return 1.0
        return max((abs(v) for row in self.expected for v in row), default=0.0) or 1.0

    def is_something(self, value: float) -> bool:
        """Whether a value is more than rounding (NaN is)."""
        return not abs(value) <= 1e-6 * self.top

    def leaking(self) -> frozenset[tuple[int, int]]:
        """The forbidden cells of the learner's map that hold something."""
        return frozenset(
            (r, c)
            for r, row in enumerate(self.yours or ())
            for c, value in enumerate(row)
            if self.reason(r, c) and self.is_something(value)
        )
