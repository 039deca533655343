"""From the worker, the suites and the solutions are out of reach, and it can hurt only itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import grader as package
from grader.submission.client import Budget, Client
from grader.submission.launcher import SpawnLauncher
from grader.submission.observation import Observation, Outcome
from grader.worker.landlock import abi
from tests.support import ROOT, Grader

PACKAGE = Path(package.__file__).parent
needs_landlock = pytest.mark.skipif(abi() == 0, reason="this kernel has no Landlock")

SOURCE = """
import os
import sys

import torch


def read(path):
    with open(path) as file:
        return file.read(20)


def write(path):
    with open(path, "w") as file:
        file.write("x")
    return "written"


def bring(name):
    __import__(name)
    return "imported"


def listed():
    ours = [name for name in sys.modules if name.split(".")[0] == "grader"]
    return [name for name in ours if name != "grader" and not name.startswith("grader.worker")]


def environment():
    return sorted(os.environ)


def fork():
    return os.fork()


def start():
    import subprocess

    return subprocess.run(["true"]).returncode


def connect():
    import socket

    socket.create_connection(("127.0.0.1", 9))


def kill(pid):
    os.kill(pid, 9)


def descriptors():
    found = []
    for number in range(64):
        try:
            os.fstat(number)
        except OSError:
            continue
        found.append(number)
    return found


def endless():
    while True:
        pass


def leave(code):
    os._exit(code)


def exits():
    sys.exit(3)


def segfault():
    import ctypes

    ctypes.string_at(0)


def greedy():
    return torch.ones(50 * 2**30, dtype=torch.uint8)


def deep():
    return deep()


def loud():
    for _ in range(100000):
        print("x" * 100)
    return "done"


def asks():
    return input("your name? ")


def fine():
    return torch.ones(2)


def huge_answer():
    return torch.zeros(2**28, dtype=torch.uint8)


def forged():
    import socket

    for number in range(3, 64):
        try:
            socket.socket(fileno=os.dup(number)).sendall(b"GRDW" + b"0" * 12)
        except OSError:
            continue
    return "sent"
"""


@pytest.fixture
def client(grader: Grader) -> Iterator[Client]:
    budget = Budget(call=1.5, stops=100)
    found = Client(grader.launcher, "attention", {"attention": ("attention.py", SOURCE)}, budget=budget)
    yield found
    found.close()


def refused(seen: Observation) -> bool:
    return seen.outcome is Outcome.RAISED and seen.error is not None and seen.error.type == "PermissionError"


@needs_landlock
@pytest.mark.parametrize(
    "path",
    [
        PACKAGE / "exercises" / "attention" / "suite.py",
        PACKAGE / "exercises" / "attention" / "model.py",
        PACKAGE / "text.py",
        ROOT / "solutions" / "attention.py",
        ROOT / "tests" / "support.py",
        Path("/proc/self/environ"),
        Path("/proc/1/cmdline"),
        Path("/etc/passwd"),
    ],
    ids=str,
)
def test_files_that_cannot_be_opened(client: Client, path: Path) -> None:
    assert refused(client.call("read", [str(path)]))


@pytest.mark.parametrize(
    "name",
    [
        "grader.exercises.attention.suite",
        "grader.exercises.registry",
        "grader.marking.run",
        "grader.data",
        "solutions.attention",
        "tests.support",
    ],
)
def test_modules_that_cannot_be_imported(client: Client, name: str) -> None:
    seen = client.call("bring", [name])
    assert seen.outcome is Outcome.RAISED
    assert seen.error is not None
    assert "ImportError" in seen.error.bases


def test_nothing_secret_is_in_memory(client: Client) -> None:
    assert client.call("listed").value == []


def test_environment_is_bare(client: Client) -> None:
    names = client.call("environment").value
    assert set(names) <= {"PATH", "HOME", "TMPDIR", "LANG", "LC_CTYPE"}


def test_only_the_socket_and_the_standard_descriptors_are_open(client: Client) -> None:
    assert len(client.call("descriptors").value) <= 4


@needs_landlock
def test_writing_outside_scratch_is_refused(client: Client, tmp_path: Path) -> None:
    assert refused(client.call("write", [str(tmp_path / "out")]))
    assert client.call("write", ["inside"]).value == "written"


@needs_landlock
@pytest.mark.parametrize("name", ["fork", "start", "connect"])
def test_no_processes_and_no_network(client: Client, name: str) -> None:
    assert client.load().ok
    if "seccomp" not in client.layers:
        pytest.skip("no seccomp filter on this machine")
    assert refused(client.call(name))


@needs_landlock
def test_no_signals(client: Client) -> None:
    import os

    seen = client.call("kill", [os.getpid()])
    assert refused(seen)


def test_an_infinite_loop_costs_one_call(client: Client) -> None:
    assert client.call("endless").outcome is Outcome.TIMED_OUT
    assert client.call("fine").ok
    assert client.generation == 2


@pytest.mark.parametrize("code", [0, 7])
def test_leaving_the_process(client: Client, code: int) -> None:
    seen = client.call("leave", [code])
    assert (seen.outcome, seen.exit_status) == (Outcome.CRASHED, code)
    assert client.call("fine").ok


def test_sys_exit_is_an_exception(client: Client) -> None:
    seen = client.call("exits")
    assert seen.outcome is Outcome.RAISED
    assert seen.error is not None
    assert seen.error.type == "SystemExit"
    assert client.generation == 1


def test_a_segfault(client: Client) -> None:
    seen = client.call("segfault")
    assert (seen.outcome, seen.exit_status) == (Outcome.CRASHED, -11)
    assert client.call("fine").ok


def test_fifty_gigabytes(client: Client) -> None:
    seen = client.call("greedy")
    assert seen.outcome is Outcome.OUT_OF_MEMORY
    assert seen.error is not None
    assert seen.error.where is not None
    assert client.call("fine").ok


def test_deep_recursion(client: Client) -> None:
    seen = client.call("deep")
    assert seen.outcome in (Outcome.RAISED, Outcome.CRASHED)
    assert client.call("fine").ok


def test_printing_is_capped_and_costs_nothing(client: Client) -> None:
    seen = client.call("loud")
    assert seen.value == "done"
    assert len(seen.printed) < 20_000
    assert "more characters" in seen.printed


def test_reading_stdin_meets_its_end(client: Client) -> None:
    seen = client.call("asks")
    assert seen.error is not None
    assert seen.error.type == "EOFError"


def test_an_answer_that_is_too_large(client: Client) -> None:
    seen = client.call("huge_answer")
    assert not seen.ok
    assert client.call("fine").ok


def test_a_forged_message_is_no_answer(client: Client) -> None:
    seen = client.call("forged")
    assert seen.outcome is not Outcome.OK
    assert client.call("fine").ok


def test_a_spawned_worker_does_the_same() -> None:
    """Where there is no fork, each worker is a process of its own."""
    launcher = SpawnLauncher()
    client = Client(launcher, "attention", {"attention": ("attention.py", SOURCE)}, budget=Budget(call=3.0))
    try:
        assert client.load().ok
        assert client.call("fine").ok
        assert client.call("leave", [0]).outcome is Outcome.CRASHED
    finally:
        client.close()
