"""A second grader that runs half of the checks of an exercise, side by side with the first.

It is a fork of a warm grader, trusted like it, with a control socket of its own to the zygote, and stays
from one submission to the next: what it keeps (requests, right answers) is as warm as what the first one
keeps.  Whatever is amiss with it, the first grader runs those checks itself.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import socket
import struct
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from grader.exercises.registry import Exercise, exercise
from grader.marking.case import Case
from grader.marking.plugin import Ran, check_of, run_suite
from grader.marking.preparing import Preparation
from grader.marking.suites import suites_of
from grader.submission.launcher import Launcher, ZygoteLauncher
from grader.submission.source import Submission
from grader.threads import one_thread

__all__ = ["Half", "Second"]

LENGTH = struct.Struct("<Q")
LEAST = 4  # checks; fewer are not worth a second worker


@dataclass(frozen=True)
class _Task:
    submission: Submission
    exercise: str
    checks: tuple[str, ...]
    budget: Mapping[str, float]
    with_reference: bool


@dataclass(frozen=True)
class _Answer:
    ran: Ran
    printed: str


class Half:
    """The checks that were given away, and what became of them."""

    def __init__(self, checks: frozenset[str], answer: Callable[[], _Answer | None]) -> None:
        self.checks = checks
        self._answer = answer
        self.printed = ""

    def ran(self) -> Ran | None:
        """Waits for the outcomes; None where the first grader has to run these checks itself."""
        answer = self._answer()
        if answer is None or {c.id for c in answer.ran.checks} != self.checks:
            return None
        self.printed = answer.printed
        return answer.ran


class Second:
    """The fork, as the first grader sees it."""

    def __init__(self, launcher: Launcher) -> None:
        """Raises OSError where there is no room for one more process."""
        lane = launcher.lane()
        self._sock, theirs = socket.socketpair()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # a thread that waits for saves is no harm
            self.pid = os.fork()
        if self.pid == 0:
            self._sock.close()
            _serve(theirs, lane)
        theirs.close()
        lane.close()
        self._took: dict[str, float] = {}
        self._waiting = False

    @staticmethod
    def possible(launcher: Launcher) -> bool:
        """Whether this machine has the cores for a second one, and can fork it."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
        return sys.platform.startswith("linux") and cores > 1 and isinstance(launcher, ZygoteLauncher)

    def half(
        self, submission: Submission, name: str, budget: Mapping[str, float], with_reference: bool
    ) -> Half | None:
        """Gives half of the checks of an exercise away."""
        if self._waiting:
            self._receive()
        checks = self._share(exercise(name))
        if not checks:
            return None
        task = _Task(submission, name, checks, budget, with_reference)
        try:
            _send(self._sock, task)
        except OSError:
            return None
        self._waiting = True
        return Half(frozenset(checks), self._receive)

    def remember(self, name: str, ran: Ran) -> None:
        """How long each check took, to share them evenly the next time."""
        self._took |= {f"{name}.{check}": seconds for check, seconds in ran.took.items()}

    def _share(self, which: Exercise) -> tuple[str, ...]:
        """The checks that the second one runs; the costly ones first, each to whom has least to do."""
        names = list(which.checks)
        if len(names) < LEAST:
            return ()
        known = [self._took[key] for n in names if (key := f"{which.id}.{n}") in self._took]
        usual = sum(known) / len(known) if known else 1.0
        took = {n: self._took.get(f"{which.id}.{n}", usual) for n in names}
        own, given = 0.0, 0.0
        share = []
        for check in sorted(names, key=lambda n: -took[n]):
            if given < own:
                share.append(check)
                given += took[check]
            else:
                own += took[check]
        return tuple(share)

    def _receive(self) -> _Answer | None:
        self._waiting = False
        try:
            answer = _receive(self._sock)
        except (OSError, EOFError):
            return None
        return answer if isinstance(answer, _Answer) else None

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        try:
            return os.waitpid(self.pid, os.WNOHANG)[0] == 0
        except ChildProcessError:
            return False

    def close(self) -> None:
        """Ends it."""
        self._sock.close()
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


# -- in the fork ------------------------------------------------------------------------------------


def _serve(sock: socket.socket, launcher: Launcher) -> None:
    """Runs in the fork, and never returns."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the first one, which ends this one
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        while True:
            answer: _Answer | None = None
            task = cast(_Task, _receive(sock))
            with contextlib.suppress(Exception):  # the first one tries them itself, and says what is wrong
                answer = _done(task, launcher)
            _send(sock, answer)
    except (EOFError, OSError):
        code = 0
    finally:
        os._exit(code)


@one_thread()
def _done(task: _Task, launcher: Launcher) -> _Answer | None:
    case = Case(exercise(task.exercise), task.submission.files.get(task.exercise))
    try:
        preparation = Preparation(task.submission, launcher, task.budget, task.with_reference)
        preparation.prepare(case)
        if case.lab is None or case.client is None:
            return None
        loading = len(case.client.printed)
        items = suites_of([case.exercise])[case.exercise.id]
        ran = run_suite(case.exercise, [i for i in items if check_of(i) in task.checks], case.lab)
        if case.client.stops or ran.kit_errors:
            return None
        return _Answer(ran, "".join(case.client.printed[loading:]))
    finally:
        if case.client is not None:
            case.client.close()


def _send(sock: socket.socket, value: object) -> None:
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    sock.sendall(LENGTH.pack(len(data)) + data)


def _receive(sock: socket.socket) -> object:
    (size,) = LENGTH.unpack(_exactly(sock, LENGTH.size))
    return pickle.loads(_exactly(sock, size))


def _exactly(sock: socket.socket, count: int) -> bytes:
    pieces = bytearray()
    while len(pieces) < count:
        piece = sock.recv(min(count - len(pieces), 1 << 20))
        if not piece:
            raise EOFError
        pieces += piece
    return bytes(pieces)
