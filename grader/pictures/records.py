"""What the pictures of a whole report hold.  Drawing them is the business of the reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.marking.picture import Picture
from grader.text import Text

__all__ = ["NO_PICTURES", "Picture", "Pictures", "RangeLine"]


@dataclass(frozen=True)
class RangeLine:
    """The range of what one line of the learner's code computed: ``scores`` from `low` to `high`.

    nans, infs: how many of the values are none; marked: the first line that leaves the model; note: what
    is to be said of the line.
    """

    file: str
    line: int
    code: str
    name: str
    shape: str
    low: float | None
    high: float | None
    nans: int = 0
    infs: int = 0
    marked: bool = False
    note: Text | None = None


@dataclass(frozen=True)
class Pictures:
    """maps and ranges: by exercise; sources: the learner's files as text, by file name."""

    maps: Mapping[str, tuple[Picture, ...]] = field(default_factory=dict)
    ranges: Mapping[str, tuple[RangeLine, ...]] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)


NO_PICTURES = Pictures()
