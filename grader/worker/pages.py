"""Puts the zygote's memory into large pages, little by little, while it has nothing else to do.

A fork copies one entry for each page, and the end of a worker looks at each of them again: with torch
loaded, that is a third of what a worker costs.  What a worker writes to is still copied in small pages.
Linux 6.1 and later; elsewhere, and where large pages are switched off, everything stays as it is.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["enlarge"]

MADV_COLLAPSE = 25
LARGE = 2 << 20
AT_ONCE = 2  # some milliseconds, in which nobody is served


def enlarge() -> Iterator[None]:
    """Each step enlarges some pages; ends when nothing is left to do, or when it cannot be done."""
    if not sys.platform.startswith("linux"):
        return
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    for start, end in _ranges():
        for place in range(start, end, LARGE * AT_ONCE):
            if madvise(place, min(LARGE * AT_ONCE, end - place), MADV_COLLAPSE) != 0:
                break
            yield


def _ranges() -> list[tuple[int, int]]:
    """Memory of our own that large pages fit into, as from one address to another."""
    found = []
    try:
        lines = Path("/proc/self/maps").read_text().splitlines()
    except OSError:
        return []
    for line in lines:
        where, rights, *_, name = [*line.split(maxsplit=5), ""][:6]
        if rights == "rw-p" and name.strip() in ("", "[heap]"):
            start, end = (int(number, 16) for number in where.split("-"))
            start, end = -(-start // LARGE) * LARGE, end // LARGE * LARGE
            if start < end:
                found.append((start, end))
    return found
