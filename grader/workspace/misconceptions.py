"""Which mistakes are one misconception: the inverted mask of one exercise is that of another."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.text import Text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["Misconception", "misconception_of", "misconceptions"]

TABLE = Path(__file__).with_name("misconceptions.toml")


@dataclass(frozen=True)
class Misconception:
    """title: None for a fault that stands for itself, whose own title says it."""

    id: str
    title: Text | None
    faults: tuple[str, ...]


@functools.cache
def misconceptions() -> tuple[Misconception, ...]:
    """Those that go by several names."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return tuple(
        Misconception(name, Text(row["title"]["en"], row["title"]["zh"]), tuple(row["faults"]))
        for name, row in table.items()
    )


def misconception_of(fault: str) -> Misconception:
    """What stands behind a fault."""
    return _by_fault().get(fault) or Misconception(fault, None, (fault,))


@functools.cache
def _by_fault() -> Mapping[str, Misconception]:
    return {fault: found for found in misconceptions() for fault in found.faults}
