"""What an exercise gave, kept for the next submission in which all that has a part in it is the same.

A result follows from the text of the exercise's file and of the files that it imports, and from nothing
else: chance and clocks are the same in every worker.  So it need not be found twice.
"""

from __future__ import annotations

import functools
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import Protocol

from grader.marking.records import ExerciseResult
from grader.submission.source import Submission

__all__ = ["FINAL", "JUDGED", "PLAIN", "UNDIAGNOSED", "Beyond", "Known"]

MOST = 32  # results
IMPORTS = re.compile(r"\b(?:import|from)\b[^\n]*")
# other ways to import, or to find what else was handed in, and lines that go on
DYNAMIC = re.compile(
    r"__import__|importlib|\bsys\b|\bexec\b|\beval\(|builtins|runpy|\bcompile\b|__loader__|__spec__|"
    r"\bgc\b|\binspect\b|_frame\b|\\\n"
)
JUDGED = ("passed", "failed")  # what has run, and can be built on
LASTING = (*JUDGED, "blocked")
PLAIN, UNDIAGNOSED, FINAL = "plain", "undiagnosed", "final"  # of one exercise; see `carrying`


class Beyond(Protocol):
    """Where results are that other processes have found, or earlier runs."""

    def find(self, key: bytes) -> ExerciseResult | None: ...

    def keep(self, key: bytes, result: ExerciseResult) -> None: ...


class Known:
    """Results by the text of every file that has a part in them; beyond: asked for what is not known here,
    and told what is found."""

    def __init__(self, most: int = MOST, beyond: Beyond | None = None) -> None:
        self._kept: OrderedDict[tuple[object, ...], ExerciseResult] = OrderedDict()
        self._most = most
        self._beyond = beyond

    def plain(
        self, name: str, submission: Submission, more: object, make: Callable[[], ExerciseResult]
    ) -> ExerciseResult:
        """The result of an exercise, made where it is not known; `more`: what else it depends on."""
        found = self.find(name, submission, more)
        if found is None:
            found = make()
            self.keep(name, submission, more, found)
        return found

    def marked(self, name: str, submission: Submission, *, with_reference: bool) -> ExerciseResult | None:
        """What an exercise gives by itself; without its diagnosis only where something else counts in its
        place, which is known as well."""
        plain = self.find(name, submission, (PLAIN, with_reference))
        if plain is None and self.find(name, submission, (FINAL, with_reference)) is not None:
            plain = self.find(name, submission, (UNDIAGNOSED, with_reference))
        return plain

    def all_marked(
        self, names: Iterable[str], submission: Submission, *, with_reference: bool
    ) -> dict[str, ExerciseResult]:
        """Those of these exercises that are known."""
        found = {name: self.marked(name, submission, with_reference=with_reference) for name in names}
        return {name: result for name, result in found.items() if result is not None}

    def find(self, name: str, submission: Submission, more: object) -> ExerciseResult | None:
        """The result of an exercise, if it is known."""
        key = _key(name, submission, more)
        if key is None:
            return None
        if key not in self._kept:
            found = self._beyond.find(_short(key)) if self._beyond is not None else None
            if found is None:
                return None
            self._put(key, found)
        self._kept.move_to_end(key)
        return self._kept[key]

    def keep(self, name: str, submission: Submission, more: object, result: ExerciseResult) -> None:
        """Keeps a result; not of what was stopped, say, and perhaps is not the next time."""
        key = _key(name, submission, more)
        if key is None or result.status not in LASTING:
            return
        self._put(key, result)
        if self._beyond is not None:
            self._beyond.keep(_short(key), result)

    def _put(self, key: tuple[object, ...], result: ExerciseResult) -> None:
        self._kept[key] = result
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)


def _short(key: tuple[object, ...]) -> bytes:
    return blake2b(repr(key).encode("utf-8", "surrogatepass"), digest_size=20).digest()


def _key(name: str, submission: Submission, more: object) -> tuple[object, ...] | None:
    files = _used_by(name, submission)
    if files is None:
        return None
    return (
        name,
        more,
        *((m, submission.files[m].name, _digest(submission.files[m].text)) for m in sorted(files)),
    )


def _digest(text: str) -> bytes:
    """In place of a text, of which hundreds may be kept."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).digest()


def _used_by(name: str, submission: Submission) -> set[str] | None:
    """The files that an exercise may import, itself among them; None where that cannot be told."""
    found: set[str] = set()
    waiting = {name}
    while waiting:
        module = waiting.pop()
        if module not in submission.files:
            return None
        found.add(module)
        words = _words(submission.files[module].text)
        if words is None:
            return None
        waiting |= (words & submission.files.keys()) - found
    return found


@functools.lru_cache(maxsize=64)
def _words(text: str) -> frozenset[str] | None:
    """The words of the lines that import something; None where something else may."""
    if DYNAMIC.search(text):
        return None
    return frozenset(word for line in IMPORTS.findall(text) for word in re.findall(r"\w+", line))
