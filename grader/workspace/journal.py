"""An append-only file of JSON lines that several processes write to, and that no crash spoils.

Why a journal and no database: SQLite's write-ahead log needs shared memory, which network folders (where
courses keep their students' work) do not have; a line that is appended under a lock needs nothing.  What a
crash leaves is at most one torn line: the next writer ends it, and a reader skips it.  Nothing is rewritten,
so nothing that was recorded can be lost.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["Journal"]

PATIENCE = 2.0  # seconds: whoever holds the lock longer is a process that was stopped
LONGEST = 1 << 20
# another person's folder may hold a link in the journal's place: it is not followed
FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT
FLAGS |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Journal:
    """The lines of one file, each a JSON object."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, rows: Iterable[Mapping[str, Any]]) -> bool:
        """Adds rows; False where the file cannot be written, which is no error: the work goes on."""
        lines = [json.dumps(row, ensure_ascii=True, separators=(",", ":"), default=str) for row in rows]
        if not lines:
            return True
        try:
            descriptor = os.open(self.path, FLAGS, 0o666)
        except OSError:
            return False
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return False
            with _locked(descriptor):
                torn = b"\n" if _is_torn(descriptor) else b""
                return _write(descriptor, torn + "".join(f"{line}\n" for line in lines).encode())
        except OSError:
            return False
        finally:
            os.close(descriptor)

    def rows(self) -> list[dict[str, Any]]:
        """Every whole row, in the order of writing; nothing where there is no file."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY | (FLAGS & ~(os.O_RDWR | os.O_APPEND | os.O_CREAT)))
        except OSError:
            return []
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            return []
        try:
            with open(descriptor, "rb") as file:
                return [row for line in file if (row := _parsed(line)) is not None]
        except OSError:
            return []


def _parsed(line: bytes) -> dict[str, Any] | None:
    if len(line) > LONGEST:
        return None
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):  # torn by a crash, or edited by hand
        return None
    return row if isinstance(row, dict) else None


def _is_torn(descriptor: int) -> bool:
    """Whether the last line has no end: its writer did not live to write it."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    if not size:
        return False
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1) != b"\n"


def _write(descriptor: int, data: bytes) -> bool:
    while data:
        written = os.write(descriptor, data)
        if not written:
            return False
        data = data[written:]
    return True


@contextlib.contextmanager
def _locked(descriptor: int) -> Iterator[None]:
    """Waits for the other writers, but not for ever: an appended line is whole without a lock, too."""
    until = time.monotonic() + PATIENCE
    held = False
    while not (held := _try_lock(descriptor)) and time.monotonic() < until:
        time.sleep(0.01)
    try:
        yield
    finally:
        if held:
            _unlock(descriptor)


if sys.platform == "win32":
    import msvcrt

    _BYTE = 1 << 30  # beyond what is written: a lock there keeps no reader out

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, _BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, _BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # held, or a file system without locks
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
