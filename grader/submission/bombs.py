"""Source text that is small and that Python's own parser takes gigabytes to read."""

from __future__ import annotations

import ast
import re

__all__ = ["has_endless_name", "parse"]

LONGEST = 200  # parts of a dotted name; nobody's code has a tenth of it
# names may hold signs such as the middle dot, which are not in `\w`; numbers ("0. 0. 1.") are no names
_TOKEN = re.compile(r"((?:[^\W\d]|[^\x00-\x7f])(?:\w|[^\x00-\x7f])*)|(\.)|[\s\\]+|(.)")


def parse(words: str, filename: str = "<unknown>") -> ast.Module:
    """`ast.parse`, for text that comes from a submission; a bomb is a `RecursionError`."""
    if has_endless_name(words):
        raise RecursionError
    return ast.parse(words, filename=filename)


def has_endless_name(words: str) -> bool:
    """Whether there is a dotted name of so many parts (``a.a.a...``) as no program has.

    In an import, the parser joins the first part, the first two, the first three, and keeps them all: 256
    KiB of text become 18 GB.
    """
    if words.count(".") < LONGEST:
        return False
    parts, after_dot = 0, False
    for match in _TOKEN.finditer(words):
        name, dot, other = match.groups()
        if name is not None:
            parts = parts + 1 if after_dot else 1
            after_dot = False
            if parts > LONGEST:
                return True
        elif dot is not None:
            after_dot = True
        elif other is not None:
            parts, after_dot = 0, False
    return False
