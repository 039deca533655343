"""The mutants that are right by the contract, with the reason why: `survivors.toml`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutants.mutation import Mutant, Source, bare, mutants

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["FILE", "Survivor", "found", "known_survivors"]

FILE = Path(__file__).parent / "survivors.toml"


@dataclass(frozen=True)
class Survivor:
    """A mutation that changes nothing that the contract speaks of.

    source, operator, where, diff: as in a `Mutant`; reason and why: of the group.
    """

    source: str
    operator: str
    where: str
    diff: str
    reason: str
    why: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.source, self.operator, self.where, bare(self.diff)


def known_survivors() -> list[Survivor]:
    """All survivors in the list, in its order."""
    return list(_rows())


def _rows() -> Iterator[Survivor]:
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    for reason, group in data.items():
        for row in group["mutants"]:
            kind, diff = row["operator"], row["diff"].strip()
            yield Survivor(row["source"], kind, row["where"], diff, reason, group["why"])


def found(survivor: Survivor, source: Source) -> Mutant | None:
    """The mutant that the entry speaks of; None where the source has no such place any more."""
    alike = (m for m in mutants(source) if (m.operator, m.where) == (survivor.operator, survivor.where))
    return next((m for m in alike if m.text is not None and m.key == survivor.key), None)
