"""The search for the smallest set of faults that predicts every observation.

Sets are tried in order of size.  A set is first judged by short cuts that share work (a fault that
changes nothing on a probe by itself is left out of the prediction there), and a set that survives is
verified without them.  Among sets of the same size that explain everything, the one that also
predicts the tie probes wins, then one that costs no accuracy, then the one that stands first in the
catalogue.  Pairs are tried in the order of `grader.diagnosis.ranking`.  The effort is bounded
by a count of predictions, never by a clock, so that the same submission gets the same diagnosis.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from grader.diagnosis.evidence import Evidence, merged
from grader.diagnosis.faults import Fault
from grader.diagnosis.fitting import fitted
from grader.diagnosis.matching import match
from grader.diagnosis.sieve import Sieve
from grader.submission.observation import Outcome

__all__ = ["Explanation", "Searcher", "merged"]

MAX_SET = 3
MAX_PREDICTIONS = {1: 2500, 2: 1500, 3: 800}  # for sets of this size
MAX_PARTIAL = 250
MAX_SETS = 6000
MAX_FITS = 40
AFTER_FOUND = 250  # predictions more, once a set explains, for others that explain as well


@dataclass(frozen=True)
class Explanation:
    """A set of faults and how far it explains: probes reproduced, of how many, largest difference.

    telling: how many of the probes that deviate from the right result it reproduces.
    """

    faults: tuple[Fault, ...]
    explained: int
    total: int
    worst: float
    telling: int = 0

    @property
    def complete(self) -> bool:
        return self.explained == self.total


class Searcher(Evidence):
    """Explains the observations of one model's probes by faults of the catalogue.

    believes: asked of each explanation that predicts everything, before it is taken for one.
    """

    believes: Callable[[Explanation], bool] = staticmethod(lambda explanation: True)

    def explain(
        self,
        tiers: Sequence[str] = ("core",),
        given: tuple[Fault, ...] = (),
        limit: int = MAX_SET,
        known: Collection[str] = (),
    ) -> Explanation | None:
        """The smallest and most preferred set that explains everything, or None.

        `given` faults are part of every set tried (and not counted); `tiers` are those of the others;
        `known`: ids already found in another part of the same file, which cost nothing here.
        """
        if self.explains(given):
            whole = self._verified(given)
            if whole is not None:
                return whole
        pool = [f for f in self.pool if f.tier in tiers]
        pool = [f for f in pool if not any(f.clashes(g) for g in given)]
        if known and not given:
            whole = self._with_known(pool, known)
            if whole is not None:
                return whole
        sieve: Sieve | None = None
        for size in range(1, limit + 1):
            if size > 1 and not given and sieve is None:
                sieve = Sieve(self, pool)
            found = self._of_size(size, pool, given, sieve)
            if found is not None:
                return found
        return None

    def _of_size(
        self, size: int, pool: list[Fault], given: tuple[Fault, ...], sieve: Sieve | None
    ) -> Explanation | None:
        complete: list[Explanation] = []
        budget = self.predictions + MAX_PREDICTIONS[size]
        for tried, extra in enumerate(self._explaining(size, pool, given, sieve)):
            if self.predictions > budget or tried > MAX_SETS:
                break
            if extra is not None:
                whole = self._verified(given + extra)
                if whole is not None:
                    complete.append(whole)
                    if size > 1:
                        budget = min(budget, self.predictions + AFTER_FOUND)
        if size <= 2 and not complete:
            complete += self._fitted(size, pool, given, sieve)
        places = {id(fault): place for place, fault in enumerate(pool)}
        return max(complete, key=lambda found: self._rank(found, places)) if complete else None

    def _rank(self, found: Explanation, places: Mapping[int, int]) -> tuple[int, bool, list[int]]:
        """The best has the largest: it tells more, leaves no room for inaccuracy, and is common."""
        order = sorted((places.get(id(fault), 0) for fault in found.faults), reverse=True)
        return self._tie_score(found), self.exact(found.faults), [-place for place in order]

    def _with_known(self, pool: list[Fault], known: Collection[str]) -> Explanation | None:
        """Sets made of the known faults and at most one more, verified without short cuts."""
        choices = [[f for f in self.pool if f.id == name] for name in known]
        bases = list(product(*[c for c in choices if c]))[:40]
        for base in bases:
            whole = self._verified(base) if base else None
            if whole is not None:
                return whole
        budget = self.predictions + MAX_PREDICTIONS[2]
        for base in bases:
            for extra in pool if base else ():
                if self.predictions > budget:
                    return None
                if any(extra.clashes(b) for b in base):
                    continue
                whole = self._verified((*base, extra))
                if whole is not None:
                    return whole
        return None

    def _explaining(
        self, size: int, pool: list[Fault], given: tuple[Fault, ...], sieve: Sieve | None
    ) -> Iterator[tuple[Fault, ...] | None]:
        """Each set that explains by the short cuts, and None for each that does not."""
        if sieve is not None and size > 1:
            for candidate in sieve.pairs() if size == 2 else sieve.triples():
                yield candidate[0] if sieve.explains(candidate) else None
            return
        for extra in self._candidates(size, pool):
            yield extra if self.explains(given + extra) else None

    def _candidates(self, size: int, pool: list[Fault]) -> Iterator[tuple[Fault, ...]]:
        """Sets without clashes; larger ones only of faults that change some deviating probe."""
        if size == 1:
            yield from ((f,) for f in pool)
            return
        useful = [f for f in pool if self.touches(f)]
        # by the place of the last one, so that the common faults (the first) are all tried early
        for last in range(size - 1, len(useful)):
            for head in combinations(useful[:last], size - 1):
                extra = (*head, useful[last])
                if not any(a.clashes(b) for a, b in combinations(extra, 2)):
                    yield extra

    def _tie_score(self, explanation: Explanation) -> int:
        """Tie probes reproduced, and exceptions predicted word for word (with their shapes)."""
        faults = explanation.faults
        score = sum(match(self.predict(faults, p), o, p) is not None for p, o in self.ties)
        for probe, seen in self.deviating:
            if seen.error is not None and seen.outcome is Outcome.RAISED:
                said = self.predict(faults, probe).seen.error
                score += said is not None and said.message == seen.error.message
        return score

    def best_partial(self, tiers: Sequence[str] = ("core",)) -> Explanation | None:
        """The single fault or pair that explains most, when that is most of what deviates."""
        telling_probes = [(p, o) for p, o in self.deviating if o.ok]  # exceptions alone say little
        if not telling_probes:
            return None
        pool = [f for f in self.pool if f.tier in tiers and self.touches(f)]
        best: tuple[int, Explanation] | None = None
        budget = self.predictions + MAX_PARTIAL
        for size in (1, 2):
            for extra in combinations(pool, size):
                if self.predictions > budget:
                    break
                if size == 2 and extra[0].clashes(extra[1]):
                    continue
                results = [self.difference(extra, p, o) for p, o in telling_probes]
                telling = sum(r is not None and r >= 0 for r in results)
                if telling * 2 <= len(telling_probes):
                    continue
                explained = sum(self.difference(extra, p, o) is not None for p, o in self.seen)
                if explained * 3 < len(self.seen) * 2:
                    continue
                rank = explained * 4 - size
                if best is None or rank > best[0]:
                    best = (rank, Explanation(extra, explained, len(self.seen), 0.0, telling))
        return best[1] if best else None

    def _verified(self, faults: tuple[Fault, ...]) -> Explanation | None:
        worst = self.worst(faults)
        if worst is None:
            return None
        whole = Explanation(faults, len(self.seen), len(self.seen), worst, len(self.deviating))
        return whole if self.believes(whole) else None

    def _fitted(
        self, size: int, pool: list[Fault], given: tuple[Fault, ...], sieve: Sieve | None
    ) -> list[Explanation]:
        """Sets with one member of a family, whose number is fitted to the observations."""
        tiers = {f.tier for f in pool}
        others = [f for f in pool if f.family is None and (size == 1 or self.touches(f))]
        fits = 0
        for family in self.catalogue.families_of(self.model):
            if family.tier not in tiers or any(family.id == g.id for g in given):
                continue
            members = [f for f in pool if f.family is family]
            acts = sieve.acting(members) if sieve is not None else 0
            for extra in combinations(others, size - 1):
                if sieve is not None and extra and not sieve.covers(extra[0], acts):
                    continue  # no member acts where this one does not explain
                fits += 1
                if fits > MAX_FITS:
                    return []
                fixed = given + extra
                member = fitted(self, family, fixed)
                if member is None or not self.explains((*fixed, member)):
                    continue
                whole = self._verified((*fixed, member))
                if whole is not None:
                    return [whole]
        return []
