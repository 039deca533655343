"""A class compared: from its submissions to the pairs that are alike, under their names or pseudonyms."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from grader.course.anonymous import pseudonyms
from grader.course.handed import Handed
from grader.course.similar.find import SHARE, find_similar, with_sides
from grader.course.similar.page import MOST_PAIRS
from grader.course.similar.records import Found, Missed, Work
from grader.course.similar.veiled import veiled
from grader.course.similar.works import given_works, works_of

__all__ = ["similar_among"]


def similar_among(
    handed: Collection[Handed],
    given: Path | None = None,
    *,
    share: float = SHARE,
    sides: bool = False,
    secret: str | None = None,
    step: Callable[[], None] = lambda: None,
) -> Found:
    """given: code that all were given; sides: with both texts of the first pairs, for a page; secret: for
    pseudonyms instead of names; step: called after each submission that was read."""

    read: list[Work] = []
    missed: list[Missed] = []
    for one in handed:
        works, without = works_of(one)
        read += works
        missed += without
        step()
    known = given_works(given) if given is not None else []
    found = find_similar(read, known, share=share)
    all_missed = sorted([*missed, *found.missed], key=lambda m: (m.student, m.file or ""))
    found = replace(found, handed=len(handed), missed=tuple(all_missed))
    if sides:
        found = with_sides(found, read, known, MOST_PAIRS)
    if secret is None:
        return found
    new = pseudonyms((h.student for h in handed), secret)
    return veiled(found, new, {h.student: h.name for h in handed})
