"""How long a submission has had the processor to itself: a busy machine costs nobody their points.

A call is stopped by the clock on the wall, less the time that the worker was ready to run and had to wait
for a processor.  A worker that sleeps, or whose own threads keep each other waiting, is not waiting for
others.  Where the system does not tell (no Linux), the wall alone counts.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["Clock", "kept_waiting"]

TICK = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.01
PATIENCE = 5.0  # on the busiest machine, a call takes no longer than so many times its limit beside it


class Clock:
    """The clock of one worker, which tells for each request how long it was kept waiting."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._start: float | None = None
        self._most = 0.0
        self._last = 0.0

    def ask(self, seconds: float) -> None:
        """A request is sent that may take so long."""
        self._start, self._most, self._last = None, PATIENCE * seconds, 0.0

    def tick(self) -> None:
        """The request takes some time: only from here on is it worth while to look closer."""
        if self._start is None:
            self._start = kept_waiting(self._pid)

    def waited(self) -> float:
        """Seconds of the request that others had the processor."""
        if self._start is not None:
            now = kept_waiting(self._pid)
            self._last = max(self._last, min(now - self._start, self._most))
        return self._last


def kept_waiting(pid: int) -> float:
    """Seconds that the main thread of a process was ready and had no processor, in its whole life, less
    those in which its own other threads had one."""
    try:
        own, waited = map(int, Path(f"/proc/{pid}/schedstat").read_text().split()[:2])
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
        others = (int(fields[11]) + int(fields[12])) * TICK - own / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
    return max(0.0, waited / 1e9 - max(0.0, others))
