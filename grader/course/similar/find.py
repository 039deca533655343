"""Finds the pairs of submissions that are alike: by exercise, and in all that both handed in."""

from __future__ import annotations

import functools
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from grader.course.similar.clusters import clusters
from grader.course.similar.common import Weights, public_names, weights
from grader.course.similar.fragments import LINE, Fragments, fragments
from grader.course.similar.pairs import Likeness, alike, shared_keys
from grader.course.similar.records import LINES, Found, Missed, Pair, Side, Work
from grader.submission.bombs import parse
from grader.text import Text

__all__ = ["BITS", "SHARE", "find_similar", "with_sides"]

SHARE = 0.65  # see `python -m benchmarks.similar`: honest pairs stay below 0.5, copies above 0.8
BITS = 40.0  # below this, two short and ordinary files may well be the same by chance
TELLING = 3.0  # bits of a fragment that one in eight has

Table = dict[str, dict[str, Fragments]]  # by exercise, then by student


def find_similar(
    works: Iterable[Work], given: Iterable[Work] = (), *, share: float = SHARE, bits: float = BITS
) -> Found:
    """`given`: what all were given (a lecture's code); it tells nothing of those who use it."""
    table, unread = _read(works)
    known, _ = _read(given)
    scales = {
        exercise: weights(
            exercise,
            (f.keys for f in files.values()),
            {key for f in known.get(exercise, {}).values() for key in f.keys},
        )
        for exercise, files in table.items()
    }
    found: dict[tuple[str, str], dict[str, Likeness]] = {}
    telling: set[str] = set()
    for exercise, files in table.items():
        students = sorted(files)
        keys = [files[s].keys for s in students]
        telling |= {s for s in students if _total(files[s].keys, scales[exercise]) >= bits}
        for one, other, how in alike(keys, scales[exercise], share=share, bits=bits):
            found.setdefault((students[one], students[other]), {})[exercise] = how
    everybody = sorted({s for files in table.values() for s in files})
    whole = _Whole(scales)
    merged = [whole.keys(table, student) for student in everybody]
    telling |= {s for s, keys in zip(everybody, merged) if _total(keys, whole) >= bits}
    for one, other, how in alike(merged, whole, share=share, bits=bits):
        found.setdefault((everybody[one], everybody[other]), {})[""] = how
    pairs = [_pair(one, other, rows) for (one, other), rows in found.items()]
    pairs.sort(key=lambda p: (-p.bits, p.one, p.other))
    groups = clusters((p.one, p.other) for p in pairs)
    ordinary = len(everybody) - len(telling)
    count = len(everybody)
    return Found(count, tuple(pairs), tuple(groups), tuple(unread), ordinary, share, bits, handed=count)


def with_sides(found: Found, works: Collection[Work], given: Iterable[Work] = (), most: int = 100) -> Found:
    """The first pairs with both texts and the lines that are the same, for a page."""
    table, _ = _read(works)
    known, _ = _read(given)
    texts = {(w.student, w.exercise): w for w in works}
    scales = {e: weights(e, (f.keys for f in files.values())) for e, files in table.items()}
    shared = {e: {k for f in files.values() for k in f.keys} for e, files in known.items()}
    pairs = []
    for pair in found.pairs[:most]:
        names = [e for e, _ in pair.exercises] or [
            e for e in table if pair.one in table[e] and pair.other in table[e]
        ]
        sides = []
        for exercise in names:
            scale = replace(scales[exercise], given=frozenset(shared.get(exercise, ())))
            one, other = table[exercise][pair.one], table[exercise][pair.other]
            both = shared_keys(one.keys, other.keys)
            sides.append(
                (
                    _side(texts[pair.one, exercise], one, both, scale),
                    _side(texts[pair.other, exercise], other, both, scale),
                )
            )
        pairs.append(replace(pair, sides=tuple(sides)))
    return replace(found, pairs=(*pairs, *found.pairs[most:]))


class _Whole(Weights):
    """Weights of all exercises at once: a fragment there is one of its exercise."""

    def __init__(self, scales: Mapping[str, Weights]) -> None:
        self.scales = list(scales.values())
        self.order = {name: i for i, name in enumerate(scales)}

    def bits(self, key: int) -> float:
        place, own = key % len(self.scales), key // len(self.scales)
        return self.scales[place].bits(own)

    def keys(self, table: Table, student: str) -> Counter[int]:
        count = len(self.scales)
        merged: Counter[int] = Counter()
        for exercise, files in table.items():
            if student in files:
                place = self.order[exercise]
                merged.update({key * count + place: n for key, n in files[student].keys.items()})
        return merged


def _read(works: Iterable[Work]) -> tuple[Table, list[Missed]]:
    table: Table = {}
    unread: list[Missed] = []
    for work in works:
        found = _fragments_of(work.text)
        if found is not None:
            table.setdefault(work.exercise, {})[work.student] = found
        else:
            why = Text(f"{work.name} is no Python", f"{work.name} 不是有效的 Python")
            unread.append(Missed(work.student, work.name, why))
    return dict(sorted(table.items())), unread


@functools.lru_cache(maxsize=50_000)
def _fragments_of(text: str) -> Fragments | None:
    """None for what is no Python, or more deeply nested than this Python can follow."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a learner's escapes and comparisons
            tree = parse(text)
        return fragments(tree, public_names())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _total(keys: Counter[int], scale: Weights) -> float:
    return sum(scale.bits(k) * n for k, n in keys.items())


def _pair(one: str, other: str, rows: Mapping[str, Likeness]) -> Pair:
    by_exercise = tuple((e, how) for e, how in sorted(rows.items()) if e)
    return Pair(one, other, by_exercise, rows.get("", Likeness(0.0, 0.0)))


def _side(work: Work, own: Fragments, both: Counter[int], scale: Weights) -> Side:
    """A line is told by its rarest fragment that both have."""
    best: dict[LINE, float] = {}
    for key in both:
        for span in own.lines[key]:
            best[span] = max(best.get(span, 0.0), scale.bits(key))
    return Side(
        work,
        _merged([span for span, bits in best.items() if bits >= TELLING]),
        _merged([span for span, bits in best.items() if bits < TELLING]),
    )


def _merged(spans: Sequence[LINE]) -> LINES:
    merged: list[LINE] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return tuple(merged)
