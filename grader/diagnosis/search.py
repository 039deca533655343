"""The search for the smallest set of faults that predicts every observation.

Sets are tried in order of size.  A set is first judged by short cuts that share work (a fault that
changes nothing on a probe by itself is left out of the prediction there), and a set that survives is
verified without them.  Among sets of the same size that explain everything, the one that also
predicts the tie probes wins, then the one that stands first in the catalogue.  The effort is bounded
by a count of predictions, never by a clock, so that the same submission gets the same diagnosis.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import torch

from grader.diagnosis.faults import Catalogue, Family, Fault
from grader.diagnosis.matching import match, named
from grader.diagnosis.model import Model, Prediction, Probe, Step, float_tensors, predict
from grader.submission.observation import Observation, Outcome

__all__ = ["Explanation", "Searcher", "merged"]

MAX_SET = 3
MAX_PREDICTIONS = 2500
MAX_SETS = 12_000
MAX_TRIPLE_POOL = 110
MAX_FITS = 40


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


class Searcher:
    """Explains the observations of one model's probes by faults of the catalogue."""

    def __init__(
        self,
        model: Model,
        catalogue: Catalogue,
        seen: Sequence[tuple[Probe, Observation]],
        ties: Sequence[tuple[Probe, Observation]] = (),
    ) -> None:
        self.model = model
        self.catalogue = catalogue
        self.seen = [(probe, named(observation, model)) for probe, observation in seen]
        self.ties = [(probe, named(observation, model)) for probe, observation in ties]
        self.pool = catalogue.of(model)
        self.predictions = 0
        self._right: dict[str, Prediction] = {}
        self._active: dict[tuple[str, int], bool] = {}
        self._cache: dict[tuple[str, frozenset[int]], float | None] = {}
        self._single: dict[tuple[str, int], Prediction] = {}
        self._kept: list[Fault] = []  # keeps the ids that the tables above are keyed by from reuse
        self.deviating = [(p, o) for p, o in self.seen if match(self.right(p), o, p) is None]
        self.deviating.sort(key=lambda pair: pair[0].grad)  # gradients cost most, so they come last
        names = {p.name for p, _ in self.deviating}
        quiet = [pair for pair in self.seen if pair[0].name not in names]
        self.order = [*self.deviating, *quiet]

    def right(self, probe: Probe) -> Prediction:
        """What a right submission would show."""
        if probe.name not in self._right:
            self._right[probe.name] = predict(self.model, probe)
        return self._right[probe.name]

    # -- the search -----------------------------------------------------------------------------

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
        if self._explains(given):
            whole = self._verified(given)
            if whole is not None:
                return whole
        pool = [f for f in self.pool if f.tier in tiers]
        pool = [f for f in pool if not any(f.clashes(g) for g in given)]
        if known and not given:
            whole = self._with_known(pool, known)
            if whole is not None:
                return whole
        for size in range(1, limit + 1):
            found = self._of_size(size, pool, given)
            if found is not None:
                return found
        return None

    def _of_size(self, size: int, pool: list[Fault], given: tuple[Fault, ...]) -> Explanation | None:
        complete: list[Explanation] = []
        budget = self.predictions + MAX_PREDICTIONS // (1 if size < 3 else 2)
        for tried, extra in enumerate(self._candidates(size, pool, given)):
            if self.predictions > budget or tried > MAX_SETS:
                break
            if self._explains(given + extra):
                whole = self._verified(given + extra)
                if whole is not None:
                    complete.append(whole)
        if size <= 2 and not complete:
            complete += self._fitted(size, pool, given)
        return max(complete, key=self._tie_score) if complete else None

    def _with_known(self, pool: list[Fault], known: Collection[str]) -> Explanation | None:
        """Sets made of the known faults and at most one more, verified without short cuts."""
        choices = [[f for f in self.catalogue.of(self.model) if f.id == name] for name in known]
        bases = list(product(*[c for c in choices if c]))[:40]
        for base in bases:
            whole = self._verified(base) if base else None
            if whole is not None:
                return whole
        budget = self.predictions + MAX_PREDICTIONS
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

    def _candidates(
        self, size: int, pool: list[Fault], given: tuple[Fault, ...]
    ) -> Iterator[tuple[Fault, ...]]:
        """Sets without clashes; larger ones only of faults that change some deviating probe."""
        if size == 1:
            yield from ((f,) for f in pool)
            return
        if size == 2 and not given:
            yield from self._pairs(pool)
            return
        if size == 3 and not given:
            yield from self._triples([f for f in pool if self._touches(f)][:MAX_TRIPLE_POOL])
            return
        useful = [f for f in pool if self._touches(f)]
        # by the place of the last one, so that the common faults (the first) are all tried early
        for last in range(size - 1, len(useful)):
            for head in combinations(useful[:last], size - 1):
                extra = (*head, useful[last])
                if not any(a.clashes(b) for a, b in combinations(extra, 2)):
                    yield extra

    def _pairs(self, pool: list[Fault]) -> list[tuple[Fault, Fault]]:
        """The pairs that the table of single faults does not rule out, common ones first.

        On a probe where neither acts, the right result must have been seen; where one acts, what it
        gives alone; where both act, anything may happen, and a prediction has to tell.
        """
        pairs = [
            (pool[i], pool[j]) for j in range(len(pool)) for i in range(j) if not pool[i].clashes(pool[j])
        ]
        wrong = {p.name for p, _ in self.deviating}
        for probe, observation in self.order:
            if not pairs:
                break
            faults = {id(f): f for pair in pairs for f in pair}
            acts = {k: self._is_active(f, probe) for k, f in faults.items()}
            alone = {
                k: acts[k] and self._one((f,), probe, observation) is not None for k, f in faults.items()
            }
            quiet = probe.name not in wrong

            def possible(
                pair: tuple[Fault, Fault],
                acts: dict[int, bool] = acts,
                alone: dict[int, bool] = alone,
                quiet: bool = quiet,
            ) -> bool:
                one, other = id(pair[0]), id(pair[1])
                if acts[one] and acts[other]:
                    return True
                if acts[one] or acts[other]:
                    return alone[one] or alone[other]
                return quiet

            pairs = [pair for pair in pairs if possible(pair)]
        return pairs

    def _triples(self, pool: list[Fault]) -> Iterator[tuple[Fault, Fault, Fault]]:
        """The triples that the table does not rule out; the table as bit masks, one bit a probe."""
        names = {p.name for p, _ in self.deviating}
        wrong = sum(1 << i for i, (p, _) in enumerate(self.order) if p.name in names)
        acts = [sum(self._is_active(f, p) << i for i, (p, _) in enumerate(self.order)) for f in pool]
        alone = [
            sum(
                1 << i
                for i, (p, o) in enumerate(self.order)
                if mask >> i & 1 and self._one((f,), p, o) is not None
            )
            for f, mask in zip(pool, acts)
        ]
        for k in range(2, len(pool)):
            for j in range(1, k):
                if pool[j].clashes(pool[k]):
                    continue
                both, either, explained = acts[j] & acts[k], acts[j] | acts[k], alone[j] | alone[k]
                for i in range(j):
                    act = acts[i]
                    if wrong & ~(either | act):
                        continue  # some wrong result is touched by none of them
                    if (either ^ act) & ~both & ~(explained | alone[i]):
                        continue  # where just one acts, it does not explain
                    if not (pool[i].clashes(pool[j]) or pool[i].clashes(pool[k])):
                        yield pool[i], pool[j], pool[k]

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
        if not self.deviating:
            return None
        pool = [f for f in self.pool if f.tier in tiers and self._touches(f)]
        telling_probes = [(p, o) for p, o in self.deviating if o.ok]  # exceptions alone say little
        if not telling_probes:
            return None
        best: tuple[int, Explanation] | None = None
        budget = self.predictions + MAX_PREDICTIONS // 4
        for size in (1, 2):
            for extra in combinations(pool, size):
                if self.predictions > budget:
                    break
                if size == 2 and extra[0].clashes(extra[1]):
                    continue
                results = [self._one(extra, p, o) for p, o in telling_probes]
                telling = sum(r is not None and r >= 0 for r in results)
                if telling * 2 <= len(telling_probes):
                    continue
                explained = sum(self._one(extra, p, o) is not None for p, o in self.seen)
                if explained * 3 < len(self.seen) * 2:
                    continue
                rank = explained * 4 - size
                if best is None or rank > best[0]:
                    best = (rank, Explanation(extra, explained, len(self.seen), 0.0, telling))
        return best[1] if best else None

    # -- predictions ----------------------------------------------------------------------------

    def predict(self, faults: Iterable[Fault], probe: Probe) -> Prediction:
        """What a submission with these faults would show."""
        self.predictions += 1
        return predict(self.model, probe, merged(faults))

    def _verified(self, faults: tuple[Fault, ...]) -> Explanation | None:
        """The explanation, if the whole set really predicts every observation (no short cuts)."""
        worst = 0.0
        for probe, observation in self.seen:
            difference = match(self.predict(faults, probe), observation, probe)
            if difference is None:
                return None
            worst = max(worst, difference)
        return Explanation(faults, len(self.seen), len(self.seen), worst, len(self.deviating))

    def _explains(self, faults: tuple[Fault, ...]) -> bool:
        if len(faults) < 2:
            return all(self._one(faults, p, o) is not None for p, o in self.order)
        later = []
        for probe, observation in self.order:  # first the probes whose prediction is in the table
            active = tuple(f for f in faults if self._is_active(f, probe))
            if len(active) > 1:
                later.append((active, probe, observation))
            elif self._one(active, probe, observation) is None:
                return False
        return all(self._one(active, p, o) is not None for active, p, o in later)

    def _one(self, faults: tuple[Fault, ...], probe: Probe, observation: Observation) -> float | None:
        if len(faults) > 1:
            # a fault that changes nothing here by itself is left out: most sets then share a result
            faults = tuple(f for f in faults if self._is_active(f, probe))
        key = (probe.name, frozenset(id(f) for f in faults))
        if key not in self._cache:
            if len(faults) == 1:
                prediction = self._alone(faults[0], probe)
            else:
                prediction = self.predict(faults, probe) if faults else self.right(probe)
            self._cache[key] = match(prediction, observation, probe)
            self._kept += faults
        return self._cache[key]

    def _alone(self, fault: Fault, probe: Probe) -> Prediction:
        key = (probe.name, id(fault))
        if key not in self._single:  # does not count: the table is the same for every submission
            self._single[key] = predict(self.model, probe, fault.steps)
            self._kept.append(fault)
        return self._single[key]

    def _is_active(self, fault: Fault, probe: Probe) -> bool:
        key = (probe.name, id(fault))
        if key not in self._active:
            changed = self._alone(fault, probe)
            self._active[key] = match(changed, self.right(probe).seen, probe) is None
        return self._active[key]

    def acts(self, fault: Fault, probe: Probe) -> bool:
        """Whether the fault by itself changes what this probe shows."""
        return self._is_active(fault, probe)

    def _touches(self, fault: Fault) -> bool:
        return any(self._is_active(fault, p) for p, _ in self.deviating)

    # -- fitting a number -----------------------------------------------------------------------

    def _fitted(self, size: int, pool: list[Fault], given: tuple[Fault, ...]) -> list[Explanation]:
        """Sets with one member of a family, whose number is fitted to the observations."""
        tiers = {f.tier for f in pool}
        others = [f for f in pool if f.family is None and (size == 1 or self._touches(f))]
        fits = 0
        for family in self.catalogue.families_of(self.model):
            if family.tier not in tiers or any(family.id == g.id for g in given):
                continue
            for extra in combinations(others, size - 1):
                fits += 1
                if fits > MAX_FITS:
                    return []
                fixed = given + extra
                member = self._fit(family, fixed)
                if member is None or not self._explains((*fixed, member)):
                    continue
                whole = self._verified((*fixed, member))
                if whole is not None:
                    return [whole]
        return []

    def _fit(self, family: Family, fixed: tuple[Fault, ...]) -> Fault | None:
        """The member whose number fits best, by Gauss-Newton from the best starting values."""
        members = [family.member(v) for v in family.tries]
        if any(members[0].clashes(f) for f in fixed):
            return None
        for probe, observation in self.deviating:
            target = _vector(observation) if observation.outcome is Outcome.OK else None
            if target is None or not any(self._is_active(m, probe) for m in members):
                continue

            def residual(
                value: float, probe: Probe = probe, target: torch.Tensor = target
            ) -> torch.Tensor | None:
                got = _vector(self.predict((*fixed, family.member(value)), probe).seen)
                if got is None or got.shape != target.shape or not bool(got.isfinite().all()):
                    return None
                return got - target

            if not bool(target.isfinite().all()):
                continue
            value = _gauss_newton(residual, family.tries)
            return None if value is None else self._rounded(family, fixed, value)
        return None

    def _rounded(self, family: Family, fixed: tuple[Fault, ...], value: float) -> Fault:
        """The member with a rounder number where that explains as well."""
        for digits in (1, 2, 3, 4, 6):
            member = family.member(float(f"{value:.{digits}g}"))
            if self._explains((*fixed, member)):
                return member
        return family.member(value)


def merged(faults: Iterable[Fault]) -> Mapping[str, Step]:
    """The replacements of all the faults."""
    steps: dict[str, Step] = {}
    for fault in faults:
        steps |= fault.steps
    return steps


def _vector(seen: Observation) -> torch.Tensor | None:
    tensors = float_tensors(seen.value) if seen.ok else []
    if not tensors:
        return None
    return torch.cat([t.double().flatten() for t in tensors])


def _gauss_newton(residual: Callable[[float], torch.Tensor | None], tries: Sequence[float]) -> float | None:
    starts = []
    for value in tries:
        r = residual(value)
        if r is not None:
            starts.append((float(r.pow(2).sum()), value))
    for _, start in sorted(starts)[:2]:
        value = start
        for _ in range(20):
            r = residual(value)
            if r is None:
                break
            if float(r.abs().max()) < 1e-12:
                return value
            step = max(abs(value), 1e-3) * 1e-6
            shifted = residual(value + step)
            if shifted is None:
                break
            slope = (shifted - r) / step
            size = float(slope.pow(2).sum())
            if size == 0.0 or size != size:
                break
            change = -float((slope * r).sum()) / size
            bound = max(abs(value), 0.1) * 4
            value += max(-bound, min(bound, change))
        r = residual(value)
        if r is not None and float(r.abs().max()) < 1e-7:
            return value
    return None
