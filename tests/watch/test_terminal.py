"""Keys one by one, and a terminal that is left as it was found, whatever happens."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import threading
import time
from collections.abc import Iterator

import pytest

from grader.watch.terminal import Terminal

if sys.platform == "win32":
    pytest.skip("POSIX terminals", allow_module_level=True)

SCRIPT = """
import os, signal, sys
from grader.watch.terminal import Terminal
terminal = Terminal(sys.stdin, sys.stdout)
print("start", flush=True)
try:
    with terminal:
        print("ready", flush=True)
        while True:
            key = terminal.key(10)
            if terminal.resized:
                terminal.resized = False
                print("again", flush=True)
            if key == "x":
                raise ValueError("crash")
            if key is not None:
                print(f"key {key}", flush=True)
except KeyboardInterrupt:
    print(f"left {terminal.signalled}", flush=True)
except ValueError:
    print("crashed", flush=True)
sys.stdin.readline()
"""


# as a shell does it: the job in front, itself in front when the job is stopped, `fg` for every line it reads
SHELL = """
import os, signal, subprocess, sys
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
job = subprocess.Popen([sys.executable, "-c", sys.argv[1]], process_group=0) if sys.version_info >= (3, 11) \\
    else subprocess.Popen([sys.executable, "-c", sys.argv[1]], preexec_fn=os.setpgrp)
while True:
    os.tcsetpgrp(0, job.pid)
    os.kill(job.pid, signal.SIGCONT)
    _, status = os.waitpid(job.pid, os.WUNTRACED)
    os.tcsetpgrp(0, os.getpgrp())
    if not os.WIFSTOPPED(status):
        break
    print("stopped", flush=True)
    sys.stdin.readline()
"""


class Child:
    """A process with a terminal of its own."""

    def __init__(self, *command: str) -> None:
        import pty

        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execv(sys.executable, [sys.executable, "-c", *command])
        self.said = ""

    def until(self, words: str, count: int = 1) -> None:
        end = time.monotonic() + 30
        while self.said.count(words) < count:
            ready, _, _ = select.select([self.fd], [], [], max(0.0, end - time.monotonic()))
            assert ready, self.said
            self.said += os.read(self.fd, 4096).decode()

    def type(self, words: str) -> None:
        os.write(self.fd, words.encode())

    @property
    def raw(self) -> bool:
        """Whether keys are handed out at once, without being shown."""
        return not termios.tcgetattr(self.fd)[3] & (termios.ECHO | termios.ICANON)


@pytest.fixture(params=[False])
def child(request: pytest.FixtureRequest) -> Iterator[Child]:
    found = Child(*([SHELL, SCRIPT] if request.param else [SCRIPT]))
    yield found
    os.kill(found.pid, signal.SIGKILL)
    os.waitpid(found.pid, 0)
    os.close(found.fd)


def test_keys_come_one_by_one(child: Child) -> None:
    child.until("ready")
    assert child.raw
    child.type("h\x1b[A")
    child.until("key h")
    time.sleep(0.1)
    child.type("\x1b[A")
    time.sleep(0.1)
    child.type("ｎ?")
    child.until("key n")
    child.until("key ?")
    assert "[A" not in child.said.replace("key h", "")[-40:]


@pytest.mark.parametrize(("words", "said"), [("\x03", "left None"), ("x", "crashed")])
def test_the_mode_is_put_back(child: Child, words: str, said: str) -> None:
    child.until("ready")
    child.type(words)
    child.until(said)
    assert not child.raw


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_mode_is_put_back_when_told_to_leave(child: Child, number: signal.Signals) -> None:
    child.until("ready")
    os.kill(child.pid, number)
    child.until(f"left {number.value}")
    assert not child.raw


@pytest.mark.parametrize("child", [True], indirect=True)
def test_stopped_and_continued(child: Child) -> None:
    child.until("ready")
    for number in (1, 2):
        child.type("\x1a")
        child.until("stopped", number)
        assert not child.raw
        child.type("\n")
        child.until("again", number)
        assert child.raw
    child.type("k")
    child.until("key k")


def test_what_cannot_be_stopped_keeps_its_keys(child: Child) -> None:
    """Without a shell above it, nobody could continue it: the system does not stop it, either."""
    child.until("ready")
    child.type("\x1a")
    child.until("again")
    assert child.raw


def test_another_size_is_told(child: Child) -> None:
    child.until("ready")
    os.kill(child.pid, signal.SIGWINCH)
    child.until("again")


def test_without_a_terminal_there_is_only_the_waiting() -> None:
    with open(os.devnull) as nothing, Terminal(nothing, sys.stdout) as terminal:
        assert not terminal.has_keys
        assert terminal.key(0.01) is None
        threading.Timer(0.1, terminal.wake).start()
        started = time.monotonic()
        terminal.pause(20)
        assert time.monotonic() - started < 10
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
