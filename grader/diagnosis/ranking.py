"""In which order sets of faults are tried: first those that come nearest to what was seen.

What each fault gives by itself is known by its fingerprint.  What several give at once has mostly the
form (shapes, dtypes, an exception) of what one of them gives, and its numbers lie near a mixture of all:
so most pairs of mistakes are found within a few predictions, out of thousands of pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from grader.diagnosis.prints import print_of

if TYPE_CHECKING:
    from grader.diagnosis.sieve import Sieve

__all__ = ["ranked"]

FAR = 5.0  # further off, in units of the largest number that is right, all is equally far
NEAR = 1e-3  # a smaller change is no measure for others
ALIKE = 1e-9  # faults whose changes point in the same direction are as good as one
AT_ONCE = 4096  # sets: a bound on memory


def ranked(sieve: Sieve, rows: Tensor) -> list[int]:
    """The order in which to try sets of faults, by their places in `rows` (sets, rows of the sieve)."""
    sketch = _Sketch(sieve)
    keys = [
        # the distance is at most 1: a contradiction weighs more than any
        2.0 * sketch.contradictions(part) + sketch.distance(part)
        for part in torch.split(rows, AT_ONCE)
    ]
    return torch.argsort(torch.cat(keys), stable=True).tolist() if keys else []


class _Sketch:
    """Fingerprints of what was seen (P probes), of the right results, and of F faults.

    codes, right, seen: the form; moves (F, P, W) and move (P, W): how far the numbers are from the right
    ones, where the form is the right one.
    """

    def __init__(self, sieve: Sieve) -> None:
        evidence = sieve.evidence
        probes = [p for p, _ in sieve.columns]
        right = [print_of(evidence.right(p).seen, p) for p in probes]
        seen = [print_of(o, p) for p, o in sieve.columns]
        alone = [[evidence.print(f, p) for p in probes] for f in sieve.pool]
        self.right = torch.tensor([p.code for p in right])
        self.seen = torch.tensor([p.code for p in seen])
        self.codes = torch.tensor([[p.code for p in row] for row in alone])
        scale = torch.tensor([max(1.0, p.scale) for p in right], dtype=torch.float64)[:, None]
        base = torch.tensor([p.along for p in right], dtype=torch.float64)
        found = torch.tensor([p.along for p in seen], dtype=torch.float64)
        given = torch.tensor([[p.along for p in row] for row in alone], dtype=torch.float64)
        self.formed = self.seen == self.right
        self.move = torch.where(self.formed[:, None], (found - base) / scale, 0.0).clamp(-FAR, FAR)
        formed = (self.codes == self.right)[:, :, None]
        self.moves = torch.where(formed, (given - base) / scale, 0.0).clamp(-FAR, FAR)
        bits = torch.arange(len(probes))
        self.acts = (sieve.acts[:, None] >> bits & 1).bool()
        self.gives = (sieve.gives[:, None] >> bits & 1).bool()
        self.wrong = (torch.tensor(sieve.wrong) >> bits & 1).bool()

    def contradictions(self, rows: Tensor) -> Tensor:
        """On how many probes a set (S, n) is at odds with what each of it does alone."""
        acts, gives, codes = self.acts[rows], self.gives[rows], self.codes[rows]  # (S, n, P)
        count = acts.sum(1)
        missed = self.wrong & (count == 0)
        refuted = (count == 1) & ~(acts & gives).any(1)
        # the form is that of one of those that change it, and the right one where none does
        changing = acts & (codes != self.right)
        like = (changing & (codes == self.seen)).any(1) | (~changing.any(1) & self.formed)
        return (missed | refuted | ((count > 1) & ~like)).sum(1)

    def distance(self, rows: Tensor) -> Tensor:
        """How far what was seen is from the nearest mixture of what each of the set does, from 0 to 1.

        Over all probes on which more than one acts, each counting the same.
        """
        weight = 1.0 / (self.move.norm(dim=1, keepdim=True) + NEAR)  # (P, 1)
        there = ((self.acts[rows].sum(1) > 1) & self.formed)[:, :, None] * weight  # (S, P, 1)
        a = (self.moves[rows] * there[:, None]).flatten(2)  # (S, n, P * W)
        y = (self.move * there).flatten(1)[:, :, None]  # (S, P * W, 1)
        gram = a @ a.transpose(1, 2)
        ridge = ALIKE * (gram.diagonal(dim1=1, dim2=2).sum(1) + 1.0)  # changes may be alike, or nothing
        gram = gram + ridge[:, None, None] * torch.eye(gram.shape[-1], dtype=gram.dtype)
        mixed = torch.linalg.solve(gram, a @ y)
        left = (y - a.transpose(1, 2) @ mixed).square().sum((1, 2))
        whole: Tensor = left / (y.square().sum((1, 2)) + ALIKE)
        return whole.clamp(0.0, 1.0)
