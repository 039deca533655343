"""Where the lines of a module really are, when it was put together from the cells of a notebook."""

from __future__ import annotations

from dataclasses import dataclass

from grader.text import Text

__all__ = ["Naming", "Places", "Spot"]


@dataclass(frozen=True)
class Spot:
    """A line of a cell: cell is the number that a reader looks for, line is 1-based within the cell."""

    cell: int
    line: int


@dataclass(frozen=True)
class Naming:
    """How a notebook and its cells are called.

    file: the notebook's name, None in one that is running; module: the exercise that the file is named
    after, or that is asked for.
    """

    file: str | None = None
    module: str = ""

    def cell(self, number: int) -> str:
        """``work.ipynb[cell 3]``; ``In[3]`` in a running notebook."""
        return f"In[{number}]" if self.file is None else f"{self.file}[cell {number}]"

    def spot(self, spot: Spot) -> str:
        """``work.ipynb[cell 3]:5``."""
        return f"{self.cell(spot.cell)}:{spot.line}"

    def whole(self, module: str) -> Text:
        """How a module is called as a whole."""
        if self.file is None:
            return Text(f"{module} (this notebook)", f"{module}（当前 notebook）")
        return Text(f"{module} ({self.file})", f"{module}（{self.file}）")


@dataclass(frozen=True)
class Places:
    """One spot for each line of a module."""

    naming: Naming
    module: str
    spots: tuple[Spot, ...]

    @property
    def whole(self) -> Text:
        """How the module is called as a whole."""
        return self.naming.whole(self.module)

    def spot(self, line: int) -> Spot | None:
        """The spot of a line of the module (1-based); that of the last one for lines behind the end."""
        if not self.spots or line < 1:
            return None
        return self.spots[min(line, len(self.spots)) - 1]

    def of(self, line: int | None) -> tuple[str | None, int | None]:
        """The file and the line that a report names."""
        spot = self.spot(line) if line is not None else None
        if spot is None:
            return self.naming.file, None
        return self.naming.cell(spot.cell), spot.line

    def words(self, line: int) -> str:
        """``work.ipynb[cell 3]:5``."""
        spot = self.spot(line)
        return self.naming.spot(spot) if spot is not None else self.whole.en
