"""How common a fragment is, as bits: how unlikely it is that somebody else writes the same.

Two things make a fragment common: that many of the class have it (whatever the reason: a lecture, a
tutorial, a friend), and that many solutions of the exercise have it.  For the latter `common.json` counts
fragments in more than a thousand files, most of them mistaken in some way and so written in many ways;
`python -m benchmarks.similar --write` makes it.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.data import skeleton_folder

__all__ = ["Background", "Weights", "background", "public_names", "weights"]

STORED = Path(__file__).with_name("common.json")


@dataclass(frozen=True)
class Background:
    """files: how many were counted; counts: in how many of them a fragment occurs."""

    files: int
    counts: Mapping[int, int]


@dataclass(frozen=True)
class Weights:
    """What each fragment of an exercise tells, in bits; `given` fragments tell nothing."""

    background: Background
    submissions: int
    among: Mapping[int, int]
    given: frozenset[int] = frozenset()

    def bits(self, key: int) -> float:
        """The two that are compared are no evidence that others write the same."""
        if key in self.given:
            return 0.0
        at_large = (self.background.counts.get(key, 0) + 0.5) / (self.background.files + 1)
        others = max(0, self.among.get(key, 0) - 2) / max(1, self.submissions - 2)
        return max(0.0, -math.log2(min(1.0, max(at_large, others))))


def weights(exercise: str, among: Iterable[Collection[int]], given: Collection[int] = ()) -> Weights:
    """From the fragments of the submissions of a class."""
    counts: Counter[int] = Counter()
    submissions = 0
    for keys in among:
        counts.update(set(keys))
        submissions += 1
    return Weights(background(exercise), submissions, counts, frozenset(given))


@functools.cache
def background(exercise: str) -> Background:
    """The stored counts of an exercise; nothing is common in one that has none."""
    stored = json.loads(STORED.read_text(encoding="utf-8")).get(exercise, {"files": 0, "counts": {}})
    return Background(int(stored["files"]), {int(k, 16): int(v) for k, v in stored["counts"].items()})


@functools.cache
def public_names() -> frozenset[str]:
    """The words of the skeletons: names that nobody had to think of."""
    texts = (p.read_text(encoding="utf-8") for p in sorted(skeleton_folder().glob("*.py")))
    return frozenset(word for text in texts for word in re.findall(r"\w+", text))
