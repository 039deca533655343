"""Single keys from a terminal, and its settings put back in every case.

A terminal that hands out keys at once is in another mode than a shell expects, so the mode lasts exactly as
long as the `with` block, and is left before the process is stopped (Ctrl-Z) and taken again after `fg`.
Signals stay what they are: Ctrl-C is a `KeyboardInterrupt`, and so are a hang-up and a polite `kill`, whose
numbers stand in `Terminal.signalled`.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import threading
import time
import unicodedata
from types import FrameType, TracebackType
from typing import IO, Any

__all__ = ["Terminal"]

POLL = 0.03


class Terminal:
    """Waits for a key, for `wake`, or for a new size.

    Where standard input or output is no terminal there are no keys, and only the waiting is left.
    """

    def __init__(self, stdin: IO[str], stdout: IO[str]) -> None:
        self.has_keys = _is_terminal(stdin) and _is_terminal(stdout)
        self.signalled: int | None = None
        self.resized = False
        self._fd = stdin.fileno() if self.has_keys else -1
        self._buffer: list[str] = []
        self._before: dict[int, Any] = {}
        self._mode: Any = None
        self._wakeup = -1
        self._woken = threading.Event()
        self._read = self._write = -1
        if sys.platform != "win32":  # `select` waits for a pipe and the keys at once
            self._read, self._write = os.pipe()
            for end in (self._read, self._write):
                os.set_blocking(end, False)

    def __enter__(self) -> Terminal:
        for name, handler in (
            ("SIGTERM", self._leave),
            ("SIGHUP", self._leave),
            ("SIGTSTP", self._suspend),
            ("SIGCONT", self._go_on),
            ("SIGWINCH", self._resize),
        ):
            number = getattr(signal, name, None)
            if number is not None and (self.has_keys or handler == self._leave):
                self._before[number] = signal.signal(number, handler)
        if sys.platform != "win32":  # a signal ends the waiting
            self._wakeup = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        self._take()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._put_back()
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if sys.platform != "win32":
            signal.set_wakeup_fd(self._wakeup)
            ends, self._read, self._write = (self._read, self._write), -1, -1
            for end in ends:
                os.close(end)

    def wake(self) -> None:
        """Ends a waiting, from another thread."""
        self._woken.set()
        if self._write >= 0:
            with contextlib.suppress(OSError):  # full: then it is awake already
                os.write(self._write, b"\0")

    def key(self, seconds: float) -> str | None:
        """The next key, or None when the time is over or something else happened."""
        if self._buffer:
            return self._buffer.pop(0)
        if sys.platform == "win32":
            return self._key_of_console(seconds)
        ends = [self._read]
        if self.has_keys and self._in_front():
            ends.append(self._fd)
        ready, _, _ = select.select(ends, [], [], seconds)
        if self._read in ready:
            self._drained()
        if self._fd in ready:
            self._fill()
        return self._buffer.pop(0) if self._buffer else None

    def pause(self, seconds: float) -> None:
        """Waits for `wake`, at most so long; keys stay where they are."""
        if sys.platform == "win32":
            until = time.monotonic() + seconds
            while time.monotonic() < until and not self._drained():
                time.sleep(POLL)
            return
        if select.select([self._read], [], [], seconds)[0]:
            self._drained()

    def _drained(self) -> bool:
        """Whether something woke us since the last time."""
        woken = self._woken.is_set()
        self._woken.clear()
        if self._read >= 0:
            with contextlib.suppress(OSError):
                os.read(self._read, 4096)
        return woken

    def _fill(self) -> None:
        try:
            data = os.read(self._fd, 1024)
        except OSError:
            data = b""
        if not data:  # the terminal is gone
            self.has_keys = False
            return
        words = data.decode("utf-8", "ignore")
        if not words.startswith("\x1b"):  # arrows and their kind are no keys of ours
            self._buffer += unicodedata.normalize("NFKC", words)  # an input method may send wide letters

    # -- the mode -------------------------------------------------------------------------------

    def _take(self) -> None:
        if not self.has_keys or sys.platform == "win32" or not self._in_front():
            return
        import termios

        with contextlib.suppress(termios.error):
            if self._mode is None:
                self._mode = termios.tcgetattr(self._fd)
            mode = termios.tcgetattr(self._fd)
            mode[3] &= ~(termios.ECHO | termios.ICANON)
            mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
            termios.tcsetattr(self._fd, termios.TCSANOW, mode)

    def _put_back(self) -> None:
        if self._mode is None or sys.platform == "win32" or not self._in_front():
            return
        import termios

        with contextlib.suppress(termios.error):
            termios.tcsetattr(self._fd, termios.TCSADRAIN, self._mode)

    def _in_front(self) -> bool:
        """Whether the terminal is ours now: a job in the background must not touch it."""
        if sys.platform == "win32":
            return True
        try:
            return os.tcgetpgrp(self._fd) == os.getpgrp()
        except OSError:
            return False

    # -- signals --------------------------------------------------------------------------------

    def _leave(self, number: int, frame: FrameType | None) -> None:
        self.signalled = number
        raise KeyboardInterrupt

    def _suspend(self, number: int, frame: FrameType | None) -> None:
        self._put_back()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)  # here the process stands still until it is continued
        signal.signal(number, self._suspend)
        self._go_on(number, frame)  # also where nobody could have continued it, so that it was not stopped

    def _go_on(self, number: int, frame: FrameType | None) -> None:
        self._take()
        self.resized = True

    def _resize(self, number: int, frame: FrameType | None) -> None:
        self.resized = True

    # -- Windows --------------------------------------------------------------------------------

    def _key_of_console(self, seconds: float) -> str | None:
        until = time.monotonic() + seconds
        while True:
            if sys.platform == "win32" and self.has_keys:
                import msvcrt

                if msvcrt.kbhit():
                    key = msvcrt.getwch()
                    if key == "\x03":
                        raise KeyboardInterrupt
                    if key in ("\0", "\xe0"):  # the first half of an arrow or function key
                        msvcrt.getwch()
                        return None
                    return unicodedata.normalize("NFKC", key)
            if self._drained():
                return None
            left = until - time.monotonic()
            if left <= 0:
                return None
            time.sleep(min(POLL, left))


def _is_terminal(stream: IO[str]) -> bool:
    try:
        return stream.isatty()
    except (ValueError, OSError):  # closed
        return False
