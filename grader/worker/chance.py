"""The sources of chance that a program has: clocks, and what the system calls random.

A submission that uses them gives other results in every call, and is told so; but it gives the same ones
on every run, so that its marks never depend on luck.  (The order of sets of words is fixed by the
hash seed; addresses of objects, and which of two threads is first, cannot be fixed.)
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

__all__ = ["same_on_every_run"]

START = 1_700_000_000.0
STEP = 1_234_567  # nanoseconds between two looks at a clock, whatever happens between them
CLOCKS = ("time", "monotonic", "perf_counter", "process_time", "thread_time")


def same_on_every_run() -> None:
    """Replaces the sources of chance in this process by ones that begin anew with each worker."""
    source = random.Random(0)
    _clocks()
    _system_random(source)
    _unseeded(source)


def _clocks() -> None:
    now = [int(START * 1e9)]

    def nanoseconds() -> int:
        now[0] += STEP
        return now[0]

    def seconds() -> float:
        return nanoseconds() / 1e9

    for name in CLOCKS:
        if hasattr(time, name):
            setattr(time, name, seconds)
            setattr(time, f"{name}_ns", nanoseconds)
    if hasattr(time, "clock_gettime"):
        time.clock_gettime = lambda clock: seconds()
        time.clock_gettime_ns = lambda clock: nanoseconds()
    if "datetime" in sys.modules:
        _dates(seconds)


def _dates(seconds: Callable[[], float]) -> None:
    import datetime

    class Moment(datetime.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls.fromtimestamp(seconds(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            return cls.fromtimestamp(seconds(), datetime.timezone.utc).replace(tzinfo=None)

        @classmethod
        def today(cls) -> Any:
            return cls.now()

    Moment.__name__ = Moment.__qualname__ = "datetime"
    Moment.__module__ = "datetime"
    setattr(datetime, "datetime", Moment)  # noqa: B010  the type checker takes it for a constant


def _system_random(source: random.Random) -> None:
    def urandom(size: int) -> bytes:
        return source.getrandbits(8 * size).to_bytes(size, "little") if size else b""

    def getrandom(size: int, flags: int = 0) -> bytes:
        return urandom(size)

    os.urandom = urandom
    random._urandom = urandom  # type: ignore[attr-defined]
    if hasattr(os, "getrandom"):
        os.getrandom = getrandom


def _unseeded(source: random.Random) -> None:
    seed_it = random.Random.seed

    def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
        seed_it(self, source.getrandbits(64) if a is None else a, version)

    random.Random.seed = seed  # type: ignore[method-assign]
    instance: random.Random = random._inst
    random.seed = instance.seed
    random.seed(source.getrandbits(64))  # Python has seeded it anew when this process was forked

    def torch_seed() -> int:
        number = source.getrandbits(63)
        torch.default_generator.manual_seed(number)
        return number

    torch.seed = torch.random.seed = torch_seed
