"""What the proofs say, as frozen records; `grader.reports.verify` prints them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.text import Text

__all__ = ["ExerciseProof", "Finding", "Groups", "PairFigures", "Proof"]

# ids of a pair, and the ids that were named instead (None: nothing was found); and how often
Groups = Mapping[tuple[tuple[str, ...], "tuple[str, ...] | None"], int]


@dataclass(frozen=True)
class Finding:
    """One thing that could not be proved, as a sentence; of which fault, other fault and probe."""

    exercise: str
    proof: str
    text: Text
    fault: str | None = None
    other: str | None = None
    probe: str | None = None

    @classmethod
    def of(
        cls,
        exercise: str,
        proof: str,
        en: str,
        zh: str,
        fault: str | None = None,
        other: str | None = None,
        probe: str | None = None,
    ) -> Finding:
        """The same, with the sentence given in both languages."""
        return cls(exercise, proof, Text(en, zh), fault, other, probe)


@dataclass(frozen=True)
class PairFigures:
    """What became of the pairs of faults of an exercise.

    possible: pairs that can stand together; tried: how many were run; impossible: whose steps do not fit
    together, which is no pair; exact: named as they are; hidden: a smaller set explains everything that
    is seen; equivalent: another pair explains exactly the same, so that nothing tells them apart from
    outside; wrong: anything else, unfound among them.  smaller, alike and missed say which.
    """

    possible: int = 0
    tried: int = 0
    impossible: int = 0
    exact: int = 0
    smaller: Groups = field(default_factory=dict)
    alike: Groups = field(default_factory=dict)
    missed: Groups = field(default_factory=dict)

    @property
    def hidden(self) -> int:
        return sum(self.smaller.values())

    @property
    def equivalent(self) -> int:
        return sum(self.alike.values())

    @property
    def wrong(self) -> int:
        return sum(self.missed.values())

    @property
    def share(self) -> float:
        """Of the pairs that can be told from everything else, how many are named as they are."""
        told = self.exact + self.wrong
        return self.exact / told if told else 1.0

    def __add__(self, other: PairFigures) -> PairFigures:
        return PairFigures(
            self.possible + other.possible,
            self.tried + other.tried,
            self.impossible + other.impossible,
            self.exact + other.exact,
            _sum(self.smaller, other.smaller),
            _sum(self.alike, other.alike),
            _sum(self.missed, other.missed),
        )


def _sum(one: Groups, other: Groups) -> Groups:
    return {key: one.get(key, 0) + other.get(key, 0) for key in dict.fromkeys((*one, *other))}


@dataclass(frozen=True)
class Proof:
    """One proof of one exercise: how many things it looked at, and what it found wrong.

    note: what could not be looked at, and why.
    """

    exercise: str
    id: str
    checked: int
    findings: tuple[Finding, ...] = ()
    note: Text | None = None
    pairs: PairFigures | None = None

    @property
    def holds(self) -> bool:
        return not self.findings


@dataclass(frozen=True)
class ExerciseProof:
    """All proofs of one exercise."""

    id: str
    title: Text
    proofs: tuple[Proof, ...]

    @property
    def holds(self) -> bool:
        return all(p.holds for p in self.proofs)
