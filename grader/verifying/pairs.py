"""Two mistakes at once: each pair of faults, run as if it were a submission, is named as that pair."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from grader.diagnosis.faults import Fault
from grader.diagnosis.matching import match
from grader.diagnosis.model import IMPOSSIBLE, Probe
from grader.diagnosis.search import Searcher
from grader.submission.observation import Observation
from grader.verifying.records import Finding, PairFigures, Proof
from grader.verifying.table import Table, observed

__all__ = ["Verdict", "compatible", "judge", "judged", "prove_pairs", "sample"]

WANTED = 0.95  # of the pairs that can be told from everything else

Pair = tuple[Fault, Fault]


@dataclass(frozen=True)
class Verdict:
    """kind: ``impossible``, ``exact``, ``hidden``, ``equivalent`` or ``wrong``; found: the ids named."""

    kind: str
    found: tuple[str, ...] | None = None


def compatible(table: Table) -> list[Pair]:
    """The pairs of core faults that can stand together; of a family, its first and last member."""
    chosen = [f for f in table.faults if f.tier == "core" and _represents(f)]
    return [(a, b) for a, b in combinations(chosen, 2) if not a.clashes(b)]


def _represents(fault: Fault) -> bool:
    if fault.family is None:
        return True
    tries = fault.family.tries
    return fault.number[fault.family.name] in (tries[0], tries[-1])


def sample(pairs: Sequence[Pair], most: int, seed: int) -> list[Pair]:
    """All pairs, or a drawn lot of them: the same for the same seed."""
    return list(pairs) if len(pairs) <= most else random.Random(seed).sample(pairs, most)


def prove_pairs(table: Table, pairs: Sequence[Pair]) -> PairFigures:
    """What becomes of these pairs."""
    kinds: dict[str, Counter[tuple[tuple[str, ...], tuple[str, ...] | None]]] = defaultdict(Counter)
    for pair in pairs:
        verdict = judge(table, pair)
        kinds[verdict.kind][(pair[0].id, pair[1].id), verdict.found] += 1
    return PairFigures(
        tried=len(pairs),
        impossible=kinds["impossible"].total(),
        exact=kinds["exact"].total(),
        smaller=dict(kinds["hidden"]),
        alike=dict(kinds["equivalent"]),
        missed=dict(kinds["wrong"]),
    )


def judged(exercise: str, figures: PairFigures) -> Proof:
    """The proof of an exercise: enough of its pairs are named as they are."""
    found = []
    if figures.share < WANTED:
        share, wanted = f"{100 * figures.share:.1f}%", f"{100 * WANTED:g}%"
        told = figures.exact + figures.wrong
        found.append(
            Finding.of(
                exercise,
                "pairs",
                f"of {told} pairs of faults {share} are named as both, and {wanted} are wanted",
                f"{told} 对同时出现的错误中有 {share} 两个都被指出，要求是 {wanted}",
            )
        )
    return Proof(exercise, "pairs", figures.tried, tuple(found), pairs=figures)


def judge(table: Table, pair: Pair) -> Verdict:
    """Runs both mistakes at once, searches for what explains it, and compares."""
    core = _seen(table, pair, "core")
    ties = _seen(table, pair, "tie")
    if core is None or ties is None:
        return Verdict("impossible")
    searcher = table.searcher(core, ties)
    explanation = searcher.explain()
    if explanation is None:
        return Verdict("wrong")
    found = tuple(f.id for f in explanation.faults)
    if set(found) == {f.id for f in pair}:
        return Verdict("exact", found)
    if len(found) > len(pair) or not _explained(table, explanation.faults, core):
        return Verdict("wrong", found)
    if len(found) < len(pair):
        return Verdict("hidden", found)
    # another pair: the same from outside, unless what is seen besides tells them apart
    same = _score(searcher, explanation.faults) >= _score(searcher, pair)
    return Verdict("equivalent" if same else "wrong", found)


def _seen(table: Table, pair: Pair, tier: str) -> list[tuple[Probe, Observation]] | None:
    """What both together show; None where their steps do not fit together."""
    found = []
    for probe in table.of_tier(tier):
        seen = observed(table.predict(pair, probe))
        if seen.error is not None and seen.error.type == IMPOSSIBLE:
            return None
        found.append((probe, seen))
    return found


def _explained(table: Table, faults: Sequence[Fault], seen: Sequence[tuple[Probe, Observation]]) -> bool:
    """Whether the set explains all of it; asked again here, of the model and not of the search."""
    return all(match(table.predict(faults, p), o, p) is not None for p, o in seen)


def _score(searcher: Searcher, faults: Sequence[Fault]) -> int:
    """Probes that break ties, and exceptions that are predicted word for word."""
    score = sum(match(searcher.predict(faults, p), o, p) is not None for p, o in searcher.ties)
    for probe, seen in searcher.deviating:
        if seen.error is not None:
            said = searcher.predict(faults, probe).seen.error
            score += said is not None and said.message == seen.error.message
    return score
