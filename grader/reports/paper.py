"""What a page of a report depends on besides the records: language, width, symbols, folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.style import Style
from rich.text import Text as Styled

from grader.reports.cleaning import clean, clean_line
from grader.reports.output import UNICODE, Glyphs, can_link, glyphs_for
from grader.reports.wrapping import wrap
from grader.text import Text

__all__ = ["Paper"]

WIDEST = 100
CELL = re.compile(r"\[cell \d+\]$")


@dataclass(frozen=True)
class Paper:
    """language: ``en`` or ``zh``; width in cells; folder: where the learner's files are; links: whether
    places are links to them."""

    language: str = "en"
    width: int = 80
    glyphs: Glyphs = UNICODE
    folder: Path | None = None
    links: bool = True

    @classmethod
    def on(cls, console: Console, language: str, folder: Path | None = None) -> Paper:
        """What the console of a command, as wide as it is now, and its stream can show."""
        stream = console.file
        whole = folder.absolute() if folder is not None else None
        return cls(language, console.width, glyphs_for(stream), whole, can_link(stream))

    @property
    def measure(self) -> int:
        """The width of running text: a long line is hard to read."""
        return min(self.width, WIDEST)

    def say(self, text: Text) -> str:
        """The sentence in the paper's language, safe to print."""
        return clean(text.in_(self.language)).strip()

    def line(self, text: Text) -> str:
        """`say`, on one line and not too long."""
        return clean_line(text.in_(self.language))

    def prose(self, words: str, style: str = "") -> Styled:
        """Words whose `code` between backticks stands out."""
        styled = Styled(style=style)
        for index, part in enumerate(re.split(r"(`[^`\n]+`)", words)):
            styled.append(part, "cyan" if index % 2 else None)
        return styled

    def lines(
        self, words: Styled | str, first: str = "", rest: str | None = None, style: str = ""
    ) -> list[Styled]:
        """A paragraph as lines, the first and the later ones indented."""
        styled = self.prose(words, style) if isinstance(words, str) else words
        return wrap(styled, self.measure, first, first if rest is None else rest)

    def spot(self, file: str | None, line: int | None) -> Styled:
        """``attention.py:12``, which a terminal can open; empty without a file."""
        if file is None:
            return Styled()
        name = clean_line(file, 80)
        words = name if line is None else f"{name}:{line}"
        return Styled(words, Style(color="cyan", link=self._link(name, line)))

    def in_brackets(self, spot: Styled) -> Styled:
        """`` (attention.py:12)``, or nothing."""
        if not spot.plain:
            return spot
        before, after = ("（", "）") if self.language == "zh" else (" (", ")")
        return Styled.assemble(before, spot, after)

    def _link(self, name: str, line: int | None) -> str | None:
        if CELL.search(name):  # a notebook opens as a whole
            name, line = CELL.sub("", name), None
        if self.folder is None or not self.links or Path(name).name != name:
            return None
        address = (self.folder / name).absolute().as_uri()
        return address if line is None else f"{address}#{line}"
