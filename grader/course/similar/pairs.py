"""Which submissions share much, without comparing each with each.

If two submissions are as alike as asked, they share one of their *rarest* fragments: those that make up
more weight than may be different.  So it is enough to look at those who share such a fragment (Bayardo, Ma
and Srikant 2007, "Scaling up all pairs similarity search").  Unlike hashing by chance this misses nothing,
and it gives the same on every run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.course.similar.common import Weights

__all__ = ["MOST_SHARED", "Likeness", "alike", "likeness", "shared_keys"]

# a fragment that so many have leads to nobody: it is looked at only where a rarer one has led there
MOST_SHARED = 300


@dataclass(frozen=True)
class Likeness:
    """share: the part of both that is the same, by weight, from 0 to 1; bits: how unlikely that is."""

    share: float
    bits: float


def likeness(one: Counter[int], other: Counter[int], weights: Weights) -> Likeness:
    """Of two submissions (the weighted Dice coefficient)."""
    both = sum(weights.bits(k) * n for k, n in shared_keys(one, other).items())
    total = _weight(one, weights) + _weight(other, weights)
    return Likeness(2 * both / total if total else 0.0, both)


def shared_keys(one: Counter[int], other: Counter[int]) -> Counter[int]:
    """What occurs in both, as often as it does in both."""
    if len(other) < len(one):
        one, other = other, one
    return Counter({key: min(n, other[key]) for key, n in one.items() if key in other})


def alike(
    submissions: Sequence[Counter[int]], weights: Weights, *, share: float, bits: float
) -> Iterator[tuple[int, int, Likeness]]:
    """The pairs that are at least so much alike, by their places, the first place smaller."""
    table = {key: weights.bits(key) for keys in submissions for key in keys}
    totals = [sum(table[k] * n for k, n in keys.items()) for keys in submissions]
    index: dict[int, list[int]] = {}
    for place, keys in enumerate(submissions):
        if totals[place] < bits:
            continue  # too ordinary to be told from anybody's
        near: set[int] = set()
        for key in _rarest(keys, table, totals[place] * (1 - share / (2 - share))):
            holders = index.setdefault(key, [])
            if len(holders) < MOST_SHARED:
                near.update(holders)
                holders.append(place)
        for other in sorted(near):
            low, high = sorted((totals[place], totals[other]))
            if 2 * low < share * (low + high):
                continue
            both = sum(table[k] * n for k, n in shared_keys(keys, submissions[other]).items())
            found = Likeness(2 * both / (low + high), both)
            if found.share >= share and found.bits >= bits:
                yield other, place, found


def _rarest(keys: Counter[int], table: Mapping[int, float], weight: float) -> Iterator[int]:
    """The rarest keys, until they weigh more than `weight` together; in one order for all."""
    sofar = 0.0
    for key in sorted(keys, key=lambda k: (-table[k], k)):
        yield key
        sofar += table[key] * keys[key]
        if sofar > weight:
            return


def _weight(keys: Counter[int], weights: Weights) -> float:
    return sum(weights.bits(k) * n for k, n in keys.items())
