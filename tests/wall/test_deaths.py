"""A worker that dies between two messages, or in the middle of one, costs what it was asked, and no more."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from grader.marking.records import ExerciseResult
from grader.marking.run import grade
from grader.submission.launcher import Handle, Launcher
from grader.submission.source import read_submission
from grader.worker.wire import PREFIX
from tests.support import ROOT, Grader

EXERCISE = "masks"


class Cutting(Launcher):
    """Stands between the grader and the first worker, notes where its messages end, and kills it after
    so many bytes of what it says (or hears)."""

    def __init__(self, inner: Launcher, after: int | None = None, *, hears: bool = False) -> None:
        self.inner = inner
        self.after = after
        self.hears = hears
        self.data = bytearray()
        self.handles: dict[int, tuple[Handle, socket.socket]] = {}

    def launch(self, limits: Mapping[str, int], *, early: bool = False) -> Handle:
        handle = self.inner.launch(limits, early=early)
        first = not self.handles
        ours, theirs = socket.socketpair()
        self.handles[handle.pid] = handle, theirs
        cut = self.after if first else None
        for source, target, counted in (
            (theirs, handle.sock, self.hears),
            (handle.sock, theirs, not self.hears),
        ):
            arguments = (source, target, handle.pid, counted and first, cut)
            threading.Thread(target=self.copy, args=arguments, daemon=True).start()
        return replace(handle, sock=ours)

    def copy(
        self, source: socket.socket, target: socket.socket, pid: int, counted: bool, cut: int | None
    ) -> None:
        try:
            while data := source.recv(1 << 16):
                if counted and cut is not None and len(self.data) + len(data) >= cut:
                    target.sendall(data[: cut - len(self.data)])
                    os.kill(pid, signal.SIGKILL)
                    break
                if counted:
                    self.data += data
                target.sendall(data)
        except OSError:
            pass  # a worker that dies with something unread leaves an error behind
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def end(self, handle: Handle, patience: float = 0.0) -> int | None:
        inner, theirs = self.handles[handle.pid]
        handle.sock.close()
        status = self.inner.end(inner, patience)
        theirs.close()
        return status

    def ends(self) -> list[int]:
        """Where each message ends."""
        found, at = [], 0
        while at + PREFIX.size <= len(self.data):
            _, header, payload = PREFIX.unpack_from(self.data, at)
            at += PREFIX.size + header + payload
            found.append(at)
        return found


def graded(launcher: Launcher, folder: Path = ROOT / "solutions") -> ExerciseResult:
    return grade(read_submission(folder, (EXERCISE,)), launcher).exercises[0]


def messages(grader: Grader, hears: bool) -> list[int]:
    """Where the messages of an undisturbed run end."""
    quiet = Cutting(grader.launcher, hears=hears)
    assert graded(quiet).passed
    return quiet.ends()


def moments(ends: list[int], every: int) -> Iterator[int]:
    """Just before the end of a message, at its end, in the next one's prefix, header and tensors."""
    for number, end in enumerate(ends):
        if number % every == 0:
            start = ends[number - 1] if number else 0
            yield from (start + 1, start + PREFIX.size, (start + end) // 2, end - 1, end)


def judge(result: ExerciseResult, after: int, first: int) -> None:
    assert len(result.checks) > 5
    told = {c.fault for c in result.checks if c.outcome == "failed"} - {None}
    if after < first:  # it was being loaded (a request that arrives whole is hardly ever answered yet)
        assert result.status == "stopped"
        assert result.note is not None
        answered = after == first - 1 and "killed by signal 9" in result.note.en
        assert answered or "ended the process" in result.note.en
        return
    assert told <= {"crash"}
    failed = [c for c in result.checks if c.outcome != "passed"]
    assert len(failed) <= 1, "one death, one check"
    assert all("killed by signal 9" in (c.message.en if c.message else "") for c in failed)


@pytest.mark.parametrize("hears", [False, True], ids=["answers", "requests"])
def test_death_at_any_byte(grader: Grader, hears: bool) -> None:
    ends = messages(grader, hears)
    assert len(ends) > 10
    chosen = list(moments(ends, max(1, len(ends) // 2)))
    for after in chosen:
        judge(graded(Cutting(grader.launcher, after, hears=hears)), after, ends[0] + hears)
    assert graded(grader.launcher).passed


@pytest.mark.slow
@pytest.mark.parametrize("hears", [False, True], ids=["answers", "requests"])
def test_death_in_every_message(grader: Grader, hears: bool) -> None:
    ends = messages(grader, hears)
    for after in moments(ends, 1):
        judge(graded(Cutting(grader.launcher, after, hears=hears)), after, ends[0] + hears)
