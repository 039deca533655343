"""A second grader that runs half of the checks of an exercise, and half of the calls that tell mistakes
apart, side by side with the first.

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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from grader.diagnosis.model import Probe
from grader.exercises.registry import Exercise, exercise
from grader.marking.case import Case
from grader.marking.lab import Lab
from grader.marking.plugin import Ran, check_of, run_suite
from grader.marking.preparing import Preparation
from grader.marking.suites import suites_of
from grader.submission.client import Client
from grader.submission.launcher import Launcher, ZygoteLauncher
from grader.submission.observation import Observation
from grader.submission.ready import ReadyLauncher
from grader.submission.source import Submission
from grader.threads import one_thread

__all__ = ["Half", "Second"]

LENGTH = struct.Struct("<Q")
LEAST = 4  # checks, or calls; fewer are not worth a second worker


@dataclass(frozen=True)
class _Task:
    submission: Submission
    exercise: str
    checks: tuple[str, ...]
    budget: Mapping[str, float]
    with_reference: bool


@dataclass(frozen=True)
class _Calls:
    """Probes of the exercise that was given last, by their names."""

    probes: tuple[str, ...]


@dataclass(frozen=True)
class _Rest:
    """Nobody waits for anything now."""


@dataclass(frozen=True)
class _Answer:
    ran: Ran
    printed: str
    seen: Mapping[str, Observation] = field(default_factory=dict)


class Half:
    """The checks that were given away, and what became of them."""

    def __init__(
        self,
        checks: frozenset[str],
        answer: Callable[[], _Answer | None],
        call: Callable[[tuple[str, ...]], bool],
    ) -> None:
        self.checks = checks
        self._answer = answer
        self._call = call
        self._ran = False
        self.printed = ""

    def ran(self) -> Ran | None:
        """Waits for the outcomes; None where the first grader has to run these checks itself."""
        answer = self._answer()
        if answer is None or {c.id for c in answer.ran.checks} != self.checks:
            return None
        self.printed = answer.printed
        self._ran = True
        return answer.ran

    def observed(self, lab: Lab, probes: Sequence[Probe]) -> dict[str, Observation]:
        """What the submission does on these probes, by their names: half of them are the other one's."""
        given = [p.name for p in probes[1::2]] if self._ran and len(probes) >= LEAST else []
        asked = bool(given) and self._call(tuple(given))
        left = [p for p in probes if not asked or p.name not in given]
        seen = {p.name: lab.observe(p) for p in left if not lab.client.exhausted}
        answer = self._answer() if asked else None
        if answer is not None and answer.seen.keys() == set(given):
            self.printed += answer.printed
            seen |= answer.seen
        elif asked:
            left = [p for p in probes if p.name in given]
            seen |= {p.name: lab.observe(p) for p in left if not lab.client.exhausted}
        return {p.name: seen[p.name] for p in probes if p.name in seen}


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
        return Half(frozenset(checks), self._receive, self._call) if self._ask(task) else None

    def rest(self) -> None:
        """Lets it do what can wait until a verdict is read."""
        if self._waiting:
            self._receive()
        with contextlib.suppress(OSError):
            _send(self._sock, _Rest())

    def _call(self, probes: tuple[str, ...]) -> bool:
        return self._ask(_Calls(probes))

    def _ask(self, message: _Task | _Calls) -> bool:
        try:
            _send(self._sock, message)
        except OSError:
            return False
        self._waiting = True
        return True

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
        desk = _Desk(ReadyLauncher(launcher))
        while True:
            message = _receive(sock)
            if isinstance(message, _Rest):
                desk.rest()
                continue
            answer: _Answer | None = None
            with contextlib.suppress(Exception):  # the first one tries them itself, and says what is wrong
                answer = desk.ran(message) if isinstance(message, _Task) else desk.seen(cast(_Calls, message))
            _send(sock, answer)
    except (EOFError, OSError):
        code = 0
    finally:
        os._exit(code)


class _Desk:
    """The exercise at work: its worker stays until nobody waits any more."""

    def __init__(self, launcher: ReadyLauncher) -> None:
        self.launcher = launcher
        self.case: Case | None = None

    @one_thread()
    def ran(self, task: _Task) -> _Answer | None:
        """Runs checks of a submission."""
        self._leave()
        case = self.case = Case(exercise(task.exercise), task.submission.files.get(task.exercise))
        preparation = Preparation(task.submission, self.launcher, task.budget, task.with_reference)
        preparation.prepare(case)
        if case.lab is None or case.client is None:
            return None
        case.client.printed.clear()  # at import, which the first one has seen too
        items = suites_of([case.exercise])[case.exercise.id]
        ran = run_suite(case.exercise, [i for i in items if check_of(i) in task.checks], case.lab)
        if case.client.stops or ran.kit_errors:
            return None
        return _Answer(ran, self._printed(case.client))

    @one_thread()
    def seen(self, calls: _Calls) -> _Answer | None:
        """Observes some probes on the same submission."""
        case = self.case
        if case is None or case.lab is None or case.client is None:
            return None
        wanted = [p for p in case.lab.room.probes if p.name in calls.probes]
        seen = {p.name: case.lab.observe(p) for p in wanted}
        if case.client.stops:
            return None
        return _Answer(Ran(), self._printed(case.client), seen)

    def rest(self) -> None:
        self._leave()
        self.launcher.rest()

    def _printed(self, client: Client) -> str:
        printed = "".join(client.printed)
        client.printed.clear()
        return printed

    def _leave(self) -> None:
        case, self.case = self.case, None
        if case is not None and case.client is not None:
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
