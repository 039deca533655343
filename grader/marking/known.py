"""What an exercise gave, kept for the next submission in which all that has a part in it is the same.

A result follows from the text of the exercise's file and of the files that it imports, and from nothing
else: chance and clocks are the same in every worker.  So it need not be found twice.
"""

from __future__ import annotations

import functools
import re
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b

from grader.marking.records import ExerciseResult
from grader.submission.source import Submission

__all__ = ["JUDGED", "Known"]

MOST = 32  # results
IMPORTS = re.compile(r"\b(?:import|from)\b[^\n]*")
# other ways to import, or to find what else was handed in, and lines that go on
DYNAMIC = re.compile(
    r"__import__|importlib|\bsys\b|\bexec\b|\beval\(|builtins|runpy|\bcompile\b|__loader__|__spec__|"
    r"\bgc\b|\binspect\b|_frame\b|\\\n"
)
JUDGED = ("passed", "failed")  # what has run, and can be built on


class Known:
    """Results by the text of every file that has a part in them."""

    def __init__(self, most: int = MOST) -> None:
        self._kept: OrderedDict[tuple[object, ...], ExerciseResult] = OrderedDict()
        self._most = most

    def plain(
        self, name: str, submission: Submission, more: object, make: Callable[[], ExerciseResult]
    ) -> ExerciseResult:
        """The result of an exercise, made where it is not known; `more`: what else it depends on."""
        found = self.find(name, submission, more)
        if found is None:
            found = make()
            self.keep(name, submission, more, found)
        return found

    def find(self, name: str, submission: Submission, more: object) -> ExerciseResult | None:
        """The result of an exercise, if it is known."""
        key = _key(name, submission, more)
        if key is None or key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key]

    def keep(self, name: str, submission: Submission, more: object, result: ExerciseResult) -> None:
        """Keeps a result; not of what was stopped, say, and perhaps is not the next time."""
        key = _key(name, submission, more)
        if key is None or result.status not in JUDGED:
            return
        self._kept[key] = result
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)


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
