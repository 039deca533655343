"""A grader process: takes contents from a pipe, grades them in a warm session, sends results back.

It is trusted, like its parent; the learner's code runs in workers of its own, behind the wall.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import signal
import sys
from contextlib import AbstractContextManager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Protocol

from grader.course.contents import Contents
from grader.course.grading import Grades, grade_one
from grader.course.settings import GradingSettings
from grader.course.storing import graded_to_bytes

__all__ = ["MakesSession", "memory_mib", "serve"]

PR_SET_PDEATHSIG = 1


class MakesSession(Protocol):
    """Makes the session of a grader process, in that process; `close` drops what the parent holds of it."""

    def __call__(self) -> AbstractContextManager[Grades]: ...

    def close(self) -> None: ...


def serve(pipe: Connection, make: MakesSession, settings: GradingSettings, parent: int) -> None:
    """Grades until it is told to end: a message is a `Contents`, or None; an answer, a `Graded` as bytes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    _die_with(parent)
    gc.freeze()  # what the parent has loaded stays, and stays shared with it
    with make() as session:
        pipe.send_bytes(b"ready")
        while True:
            try:
                contents = pipe.recv()
            except (EOFError, OSError):
                return
            if not isinstance(contents, Contents):  # the end
                return
            data = graded_to_bytes(grade_one(contents, settings, session))
            pipe.send_bytes(data)


def _die_with(parent: int) -> None:
    """Ends with the parent, however that ends: no grader is left behind."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # which has ended in between
            os._exit(1)


def memory_mib(pid: int) -> float:
    """The memory that a process alone holds, in MiB; 0 where the system does not tell."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0.0
    rows = (line.split() for line in text.splitlines())
    return sum(int(row[1]) for row in rows if row[0].startswith("Private_")) / 1024
