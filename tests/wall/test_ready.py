"""A worker that is ready is one like any other; none is left behind."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import pytest

from grader.submission.client import Budget, Client
from grader.submission.launcher import Launcher
from grader.submission.ready import ReadyLauncher
from tests.support import Grader

FILE = {"m": ("m.py", "import os\n\ndef who():\n    return os.getpid()\n")}


@pytest.fixture
def launcher(grader: Grader) -> Iterator[ReadyLauncher]:
    ready = ReadyLauncher(grader.launcher)
    yield ready
    ready.close()


def who(launcher: Launcher, budget: Budget | None = None) -> int:
    client = Client(launcher, "m", FILE, budget=budget)
    found = client.call("who").value
    client.close()
    return int(found)


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_one_that_is_ready_is_used_once(launcher: ReadyLauncher) -> None:
    first = who(launcher)
    launcher.rest()
    assert not is_there(first)
    ready = launcher._ready
    assert ready is not None
    assert who(launcher) == ready.pid
    assert who(launcher) not in (first, ready.pid)


def test_other_limits_get_another_one(launcher: ReadyLauncher) -> None:
    who(launcher)
    launcher.rest()
    ready = launcher._ready
    assert ready is not None
    other = Budget(memory=1 << 30)
    assert who(launcher, other) != ready.pid
    launcher.rest()
    now = launcher._ready
    assert now is not None
    assert who(launcher, other) == now.pid


def test_one_that_has_died_is_replaced(launcher: ReadyLauncher) -> None:
    who(launcher)
    launcher.rest()
    ready = launcher._ready
    assert ready is not None
    os.kill(ready.pid, signal.SIGKILL)
    time.sleep(0.05)
    assert who(launcher) != ready.pid


def test_none_is_left(launcher: ReadyLauncher) -> None:
    pids = [who(launcher) for _ in range(7)]
    launcher.rest()
    ready = launcher._ready
    assert ready is not None
    launcher.close()
    assert not any(map(is_there, [*pids, ready.pid]))
