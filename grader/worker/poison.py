"""What is found in memory that nobody has filled."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator

__all__ = ["POISON", "poisoned"]

M_PERTURB = -6  # of glibc's mallopt
PERTURB = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform.startswith("linux") else None
POISON = 0x80  # memory full of 0x7f: 1.4e306 as float64, 3.4e38 as float32, NaN as float16


@contextlib.contextmanager
def poisoned(byte: int | None) -> Iterator[None]:
    """Inside, memory that is allocated holds the complement of this byte, wherever libc can.

    `torch.empty` then never hands out zeros by luck, and what a program reads of it is the same on
    every run: wrong in a way that two different bytes show.
    """
    if byte is None or PERTURB is None:
        yield
        return
    PERTURB(M_PERTURB, int(byte))
    try:
        yield
    finally:
        PERTURB(M_PERTURB, 0)
