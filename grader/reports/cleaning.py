"""Makes words that came from a submission safe to print: no escapes, no control or hidden characters.

What a learner's code prints or raises may hold sequences that move the cursor, rename the window,
forge a line of the report or reverse the reading direction.  All of it passes through `clean`.
"""

from __future__ import annotations

import re

__all__ = ["clean", "clean_line", "excerpt"]

# operating-system commands and their like carry a payload up to a terminator; it goes with them
_ESCAPES = re.compile(
    r"(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_HIDDEN = re.compile("[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
_SURROGATES = re.compile("[\ud800-\udfff]")


def clean(words: str) -> str:
    """The words without terminal escapes, control characters, direction marks and lone surrogates."""
    words = words.replace("\r\n", "\n").replace("\r", "\n")
    words = _CONTROLS.sub("", _ESCAPES.sub("", words))
    return _SURROGATES.sub("\ufffd", _HIDDEN.sub("", words))


def clean_line(words: str, limit: int = 600) -> str:
    """`clean`, on one line, cut to `limit` characters."""
    line = " ".join(clean(words).split())
    return line if len(line) <= limit else line[: limit - 3].rstrip() + "..."


def excerpt(words: str, lines: int) -> tuple[list[str], int]:
    """The first lines of a longer output, and how many lines were left out."""
    found = [line.rstrip() for line in clean(words).expandtabs(4).strip("\n").split("\n")]
    while found and not found[-1]:
        found.pop()
    return [line[:300] for line in found[:lines]], max(0, len(found) - lines)
