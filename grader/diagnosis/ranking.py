"""In which order pairs of faults are tried: first those that come nearest to what was seen.

What each fault gives by itself is known by its fingerprint.  What two give at once has mostly the form
(shapes, dtypes, an exception) of what one of them gives, and its numbers lie near a mixture of both:
so most pairs of mistakes are found within a few predictions, out of thousands of pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from grader.diagnosis.prints import print_of

if TYPE_CHECKING:
    from grader.diagnosis.sieve import Sieve

__all__ = ["ranked"]

FAR = 5.0  # further off, in units of the largest number that is right, all is equally far
NEAR = 1e-3  # a smaller change is no measure for others
ALIKE = 1e-9  # two faults whose changes point in the same direction are as good as one


def ranked(sieve: Sieve, rows: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """The pairs of rows of the sieve in the order in which to try them, each with its place in `rows`."""
    if not rows:
        return []
    sketch = _Sketch(sieve)
    one, other = torch.tensor(rows).unbind(1)
    # the distance is at most 1: a contradiction weighs more than any
    keys = 2.0 * sketch.contradictions(one, other) + sketch.distance(one, other)
    return [(n, *rows[n]) for n in torch.argsort(keys, stable=True).tolist()]


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

    def contradictions(self, one: Tensor, other: Tensor) -> Tensor:
        """On how many probes a pair (rows of faults) is at odds with what each of the two does alone."""
        a, b = self.acts[one], self.acts[other]
        missed = self.wrong & ~(a | b)
        refuted = (a & ~b & ~self.gives[one]) | (b & ~a & ~self.gives[other])
        plain_a, plain_b = self.codes[one] == self.right, self.codes[other] == self.right
        like_a, like_b = self.codes[one] == self.seen, self.codes[other] == self.seen
        # the form is that of the one that changes it; where both do, that of either
        form = torch.where(plain_a, like_b, torch.where(plain_b, like_a, like_a | like_b))
        return (missed | refuted | (a & b & ~form)).sum(1)

    def distance(self, one: Tensor, other: Tensor) -> Tensor:
        """How far what was seen is from the nearest mixture of the two, from 0 to 1.

        Over all probes on which both act, each counting the same.
        """
        weight = 1.0 / (self.move.norm(dim=1, keepdim=True) + NEAR)
        there = (self.acts[one] & self.acts[other] & self.formed)[:, :, None] * weight
        a, b = ((self.moves[rows] * there).flatten(1) for rows in (one, other))
        y = (self.move * there).flatten(1)
        aa, bb, ab = (a * a).sum(1) + ALIKE, (b * b).sum(1) + ALIKE, (a * b).sum(1)
        ya, yb, yy = (y * a).sum(1), (y * b).sum(1), (y * y).sum(1) + ALIKE
        spread = aa * bb - ab * ab
        apart = spread > ALIKE * aa * bb
        safe = torch.where(apart, spread, 1.0)
        of_a, of_b = (ya * bb - yb * ab) / safe, (yb * aa - ya * ab) / safe
        mixed = (y - of_a[:, None] * a - of_b[:, None] * b).square().sum(1)
        single = yy - torch.maximum(ya * ya / aa, yb * yb / bb)
        left: Tensor = torch.where(apart, mixed, single) / yy
        return left.clamp(0.0, 1.0)
