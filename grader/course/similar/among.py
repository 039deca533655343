"""A class compared: from its submissions to the pairs that are alike, under their names or pseudonyms."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from grader.course.anonymous import pseudonyms
from grader.course.handed import Handed
from grader.course.similar.find import SHARE, find_similar, with_sides
from grader.course.similar.page import MOST_PAIRS
from grader.course.similar.records import Found, Work
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

    def works() -> Iterator[Work]:
        for one in handed:
            yield from works_of([one])
            step()

    read = list(works())
    known = given_works(given) if given is not None else []
    found = find_similar(read, known, share=share)
    if sides:
        found = with_sides(found, read, known, MOST_PAIRS)
    if secret is None:
        return found
    new = pseudonyms((h.student for h in handed), secret)
    return veiled(found, new, {h.student: h.name for h in handed})
