"""Workers that are made, and taken back, while nobody waits for a verdict."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from grader.errors import GraderError
from grader.submission.launcher import Handle, Launcher
from grader.worker.waiting import readable

__all__ = ["ReadyLauncher"]

MOST_LEFT = 4  # workers that are over, before they are taken back whoever waits


class ReadyLauncher(Launcher):
    """Another launcher, with one worker ready for whoever asks next for one with the same limits.

    What is asked for between verdicts is done in `rest`; without it nothing is made beforehand.
    """

    def __init__(self, inner: Launcher) -> None:
        """`inner` is not closed with this one."""
        self.inner = inner
        self._limits: dict[str, int] | None = None  # of the next one
        self._first = True  # whoever asks now is the first since `rest`
        self._ready: Handle | None = None
        self._left: list[Handle] = []

    def launch(self, limits: Mapping[str, int], *, early: bool = False) -> Handle:
        if len(self._left) >= MOST_LEFT:
            self._take_back()
        first, self._first = self._first, False
        if self._ready is not None and (first or self._limits == limits):
            handle, self._ready = self._ready, None
            if self._limits == limits and not readable(handle.sock, 0):  # it lives; it speaks when asked
                return handle
            self.leave(handle)
        if first:
            self._limits = dict(limits)
        return self.inner.launch(limits, early=early)

    def end(self, handle: Handle, patience: float = 0.0) -> int | None:
        return self.inner.end(handle, patience)

    def leave(self, handle: Handle) -> None:
        handle.sock.close()  # which ends it
        self._left.append(handle)

    def layers(self) -> tuple[str, ...]:
        return self.inner.layers()

    def lane(self) -> Launcher:
        return self.inner.lane()

    def rest(self) -> None:
        """Makes the next worker ready, and takes back those that are over."""
        self._first = True
        if self._ready is None and self._limits is not None:
            with contextlib.suppress(GraderError, OSError):  # who needs one is told why there is none
                self._ready = self.inner.launch(self._limits, early=True)
        self._take_back()

    def close(self) -> None:
        """Ends all workers that are left."""
        if self._ready is not None:
            self._left.append(self._ready)
            self._ready = None
        self._take_back()

    def _take_back(self) -> None:
        left, self._left = self._left, []
        for handle in left:
            self.inner.end(handle)
