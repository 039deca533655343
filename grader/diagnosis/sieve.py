"""Which pairs and triples of faults could explain, judged by what each fault does by itself.

On a probe where none of a set does anything, the right result must have been seen; where just one does,
what it gives alone; where several do, anything may happen, and only a prediction can tell.  One bit a
probe.  Of a pair, one that does nothing by itself still counts where the other one comes before it: it
may do something to what that one has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import torch
from torch import Tensor

from grader.diagnosis.evidence import Evidence
from grader.diagnosis.faults import Fault
from grader.diagnosis.ranking import ranked

__all__ = ["Sieve"]

BITS = 62  # of a signed integer
MOST = 50_000  # triples: where more could explain, one that does would mean little

Candidate = tuple[tuple[Fault, ...], int]


class Sieve:
    """The table of single faults as bit masks."""

    def __init__(self, evidence: Evidence, pool: Sequence[Fault]) -> None:
        self.pool = list(pool)
        self.evidence = evidence
        self.rows = {id(fault): row for row, fault in enumerate(self.pool)}
        names = {p.name for p, _ in evidence.deviating}
        columns = evidence.order[:BITS]
        self.columns = columns
        self.unasked = evidence.order[BITS:]
        self.wrong = sum(1 << i for i, (p, _) in enumerate(columns) if p.name in names)
        self.turn = list(range(len(columns)))  # in which to ask: those first that have refuted most
        self.refuted = [0] * len(columns)
        bits = [[evidence.effect(f, p) for p, _ in columns] for f in self.pool]
        self.stirs = _masks([e.stirs for e in row] for row in bits)
        self.acts = _masks([e.acts for e in row] for row in bits)
        # whether the fault alone gives what was seen
        self.gives = _masks(
            [
                e.stirs and (not e.spoils if not self.wrong >> i & 1 else e.acts and evidence.alone(f, p, o))
                for i, (e, (p, o)) in enumerate(zip(row, columns))
            ]
            for f, row in zip(self.pool, bits)
        )
        reach = torch.tensor([evidence.reach(f) for f in self.pool]).reshape(-1, 2)
        self.before = reach[:, None, 1] < reach[None, :, 0]  # all of the row's steps, those of the column

    def pairs(self) -> Iterator[Candidate]:
        """The pairs that are not ruled out, those first that come nearest to what was seen.

        With each, the probes on which a prediction has to tell.
        """
        one, other = torch.tril_indices(len(self.pool), len(self.pool), -1)  # other < one
        stir, last = self.stirs[other], self.stirs[one]
        both = stir & last
        both = both | torch.where(self.before[other, one], 0, ~stir & last)
        both = both | torch.where(self.before[one, other], 0, stir & ~last)
        left = self._left(stir | last, both, self.gives[other] | self.gives[one])
        return self._in_order(torch.stack([other[left], one[left]], dim=1), both[left])

    def triples(self) -> Iterator[Candidate]:
        """The triples that are not ruled out, in the same manner; none where nearly none is ruled out."""
        useful = [row for row in range(len(self.pool)) if int(self.acts[row]) & self.wrong]
        rows, asked = [torch.zeros(0, 3, dtype=torch.int64)], [torch.zeros(0, dtype=torch.int64)]
        for k in range(2, len(useful)):
            one, other = (torch.tensor(useful)[i] for i in torch.tril_indices(k, k, -1))
            last = torch.full_like(one, useful[k])
            act, more, third = self.acts[other], self.acts[one], self.acts[last]
            several = act & more | act & third | more & third
            gives = self.gives[other] | self.gives[one] | self.gives[last]
            left = self._left(act | more | third, several, gives)
            rows.append(torch.stack([other[left], one[left], last[left]], dim=1))
            asked.append(several[left])
            if sum(map(len, asked)) > MOST:
                return iter(())
        return self._in_order(torch.cat(rows), torch.cat(asked))

    def _in_order(self, rows: Tensor, asked: Tensor) -> Iterator[Candidate]:
        """The sets in the order in which to try them, without those that cannot stand together."""
        known = self.evidence.catalogue.companions
        order = ranked(self, rows)
        sets = rows[order].tolist()
        ids = [f.id for f in self.pool]
        together = [n for n, s in enumerate(sets) if known and frozenset(ids[row] for row in s) in known]
        for place in dict.fromkeys((*together, *range(len(sets)))):
            chosen = tuple(self.pool[row] for row in sets[place])
            if not any(a.clashes(b) for a, b in combinations(chosen, 2)):
                yield chosen, int(asked[order[place]])

    def covers(self, fault: Fault, acts: int) -> bool:
        """Whether a set that acts on these probes could stand beside the fault."""
        mask, give = (int(t[self.rows[id(fault)]]) for t in (self.stirs, self.gives))
        return not self.wrong & ~(mask | acts) and not mask & ~acts & ~give

    def explains(self, candidate: Candidate) -> bool:
        """Whether the set gives what was seen where several of it act, and where the bits do not say."""
        faults, several = candidate
        for i in self.turn:
            if several >> i & 1 and self.evidence.difference(faults, *self.columns[i]) is None:
                self.refuted[i] += 1
                self.turn.sort(key=lambda n: -self.refuted[n])
                return False
        return all(self.evidence.difference(faults, p, o) is not None for p, o in self.unasked)

    def acting(self, faults: Iterable[Fault]) -> int:
        """The probes on which any of these does anything."""
        found = 0
        for fault in faults:
            found |= int(self.stirs[self.rows[id(fault)]])
        return found

    def _left(self, either: Tensor, several: Tensor, gives: Tensor) -> Tensor:
        missed = ~either & self.wrong  # a wrong result that none of them touches
        refuted = either & ~several & ~gives  # where just one acts, it does not explain
        found: Tensor = ((missed | refuted) == 0).nonzero().flatten()
        return found


def _masks(rows: Iterable[Iterable[bool]]) -> Tensor:
    """One integer a row, with a bit for each column."""
    return torch.tensor([sum(bit << i for i, bit in enumerate(row)) for row in rows], dtype=torch.int64)
