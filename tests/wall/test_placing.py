"""Calls under autocast, on a device, measured: what the worker does when it is asked, and what it refuses."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Iterator

import pytest
import torch

from grader.errors import ZygoteError
from grader.submission.client import Budget, Client
from grader.submission.launcher import SpawnLauncher
from grader.submission.observation import Outcome
from grader.submission.reply import parse_reply
from grader.worker import seccomp
from grader.worker.holding import Holding
from grader.worker.wire import Malformed
from tests.support import Grader

CODE = """
import torch

def product(a, b):
    return a @ b

def kept(a, b):
    c = a @ b
    d = c + 1
    e = d * 2
    return e

def let_go(a, b):
    c = a @ b
    c = c + 1
    c = c * 2
    return c
"""
SOURCES = {"asked": ("asked.py", CODE)}


@pytest.fixture(scope="module")
def client(grader: Grader) -> Iterator[Client]:
    made = Client(grader.launcher, "asked", SOURCES)
    yield made
    made.close()


def given(size: int = 64) -> tuple[torch.Tensor, torch.Tensor]:
    g = torch.Generator().manual_seed(1)
    return torch.randn(size, 3, generator=g), torch.randn(3, size, generator=g)


def test_autocast_decides_the_dtype(client: Client) -> None:
    assert client.call("product", given()).value.dtype is torch.float32
    assert client.call("product", given(), autocast="bfloat16").value.dtype is torch.bfloat16


def test_a_call_sends_back_what_is_asked_for(client: Client) -> None:
    a, b = given()
    seen = client.call("product", (a, b), rows=[5])
    assert torch.equal(seen.value, (a @ b)[5:6])


def test_what_is_kept_is_counted(client: Client) -> None:
    one = 64 * 64 * 4
    assert client.call("kept", given(), measure=True).held == 3 * one
    assert client.call("let_go", given(), measure=True).held == 2 * one
    assert client.call("product", given()).held is None


def test_looking_keeps_nothing_alive() -> None:
    x = torch.ones(10)
    with Holding([x]) as holding:
        for _ in range(5):
            y = x + 1
        del y
    assert holding.close() == 2 * 40  # the old one lives until the new one is there
    assert holding.close() == 80


@pytest.mark.parametrize("how", [{"device": "meta"}, {"device": "cuda:7"}, {"autocast": "float8"}])
def test_other_places_are_no_request(client: Client, how: dict[str, str]) -> None:
    seen = client.call("product", given(), **how)
    assert seen.outcome is Outcome.RAISED
    assert seen.error is not None
    assert seen.error.type == "Malformed"


@pytest.mark.parametrize("held", [-1, 1 << 60, True, "many", None])
def test_what_is_no_count_is_refused(held: object) -> None:
    with pytest.raises(Malformed):
        parse_reply({"id": "1", "outcome": "ok", "value": None, "held": held}, {}, "1")


def test_a_worker_of_its_own_for_a_device() -> None:
    with SpawnLauncher(device="cpu") as launcher:
        client = Client(launcher, "asked", SOURCES, budget=Budget(memory=1 << 30))
        a, b = given()
        seen = client.call("product", (a, b), device="cpu", autocast="bfloat16", measure=True)
        layers = client.layers
        client.close()
    assert seen.ok
    assert seen.held == 64 * 64 * 2 + 64 * 3 * 2 * 2  # and the factors, in bfloat16
    if sys.platform.startswith("linux"):
        assert {"limits", "landlock", "seccomp"} <= set(layers)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is one")
def test_a_device_that_cannot_be_opened_is_said() -> None:
    with SpawnLauncher(device="cuda") as launcher, pytest.raises(ZygoteError) as raised:
        launcher.launch({"memory": 0})
    assert "the device cannot be opened" in raised.value.text.en


WITH_THREADS = """
import fcntl, socket, sys, threading, time
sys.path.insert(0, {root!r})
from grader.worker import seccomp

done = []
go = threading.Event()

def other():
    go.wait()
    try:
        socket.socket()
    except PermissionError:
        done.append("thread")

started = threading.Thread(target=other)
started.start()
assert seccomp.install(accelerator=True)
go.set()
started.join()
try:
    socket.socket()
except PermissionError:
    done.append("main")
try:
    fcntl.ioctl(0, 0x1234)  # of a driver, which a worker without a device may not say
except OSError as error:
    done.append(type(error).__name__)
print(done, seccomp.program({machine!r}) != seccomp.program({machine!r}, True))
"""


@pytest.mark.skipif(platform.machine() not in seccomp.ARCHITECTURES, reason="no filter for this machine")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux alone has it")
def test_the_filter_holds_for_threads_that_a_driver_has_started() -> None:
    from tests.support import ROOT

    text = WITH_THREADS.format(root=str(ROOT), machine=platform.machine())
    ran = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.stdout.strip().startswith("['thread', 'main'"), ran.stderr
    assert ran.stdout.strip().endswith("True")
