"""What a submission may try, one attempt each, and which of them succeed behind which layers.

``python -m tests.wall.attempts [fork|spawn] [LAYERS TO LEAVE OUT]`` prints it as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from grader.submission.client import Budget, Client
from grader.submission.launcher import Launcher, SpawnLauncher, ZygoteLauncher

__all__ = ["ATTEMPTS", "SOURCE", "carried_out", "run"]

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "grader"

SOURCE = """
import ctypes
import os
import socket
import struct
import subprocess
import sys
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)


def read(path):
    with open(path, "rb") as file:
        return len(file.read(16))


def write(path):
    with open(path, "w") as file:
        return file.write("x")


def cut(path):
    os.close(os.open(path, os.O_RDONLY | os.O_TRUNC))
    if os.path.getsize(path):
        raise OSError("not cut")


def close_to_others(path):
    os.chmod(path, 0o600)


def fork():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def program():
    subprocess.run(["/bin/true"], check=True)


def tcp(port):
    socket.create_connection(("127.0.0.1", port), timeout=2).close()


def udp(port):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", port))


def abstract_socket(name):
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect("\\0" + name)


def signal(pid):
    os.kill(pid, 0)


def signal_by_owner(pid):
    import fcntl

    reading, writing = os.pipe()
    fcntl.fcntl(reading, fcntl.F_SETOWN, pid)
    fcntl.fcntl(reading, 10, 12)


def trace(pid):
    if libc.ptrace(0x4206, pid, None, None) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")
    libc.ptrace(17, pid, None, None)


def memory_of(pid):
    os.close(os.open(f"/proc/{pid}/mem", os.O_RDONLY))


def environment_of(pid):
    return read(f"/proc/{pid}/environ")


def queue():
    if libc.syscall(240, b"grade-tests", os.O_CREAT | os.O_RDWR, 0o600, None) < 0:
        raise OSError(ctypes.get_errno(), "mq_open")
    libc.syscall(241, b"grade-tests")


def hidden_memory():
    handles = [os.memfd_create("x") for _ in range(4)]
    for handle in handles:
        for _ in range(8):
            os.write(handle, bytes(1 << 20))


def huge_memory():
    return len(bytearray(3 << 30))


def huge_file():
    with open("huge", "wb") as file:
        for _ in range(40):
            file.write(bytes(1 << 20))


def threads():
    threading.stack_size(1 << 16)
    for _ in range(200):
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()


def niceness():
    os.setpriority(os.PRIO_PROCESS, 0, 5)


def outlive():
    if libc.prctl(1, 0, 0, 0, 0) != 0:
        raise OSError("refused")


def namespace():
    if libc.unshare(0x10000000) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def root():
    os.setuid(0)
"""


@contextmanager
def surroundings() -> Iterator[Mapping[str, list[object]]]:
    """The arguments of each attempt: a bystander to signal, ports to reach, files to damage."""
    bystander = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    name = f"grade-tests-{os.getpid()}"
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as abstract,
    ):
        udp.bind(("127.0.0.1", 0))
        abstract.bind("\0" + name)
        abstract.listen()
        threading.Thread(target=_accept, args=(tcp,), daemon=True).start()
        mine = Path(folder) / "mine"
        mine.write_text("mine")
        os.chmod(folder, 0o777)  # an ordinary worker is the same user; one of root's has to be let in
        os.chmod(mine, 0o666)
        try:
            yield {
                "read": [str(PACKAGE / "exercises" / "attention" / "suite.py")],
                "write": [str(Path(folder) / "out")],
                "cut": [str(mine)],
                "close_to_others": [str(mine)],
                "tcp": [tcp.getsockname()[1]],
                "udp": [udp.getsockname()[1]],
                "abstract_socket": [name],
                "signal": [bystander.pid],
                "signal_by_owner": [bystander.pid],
                "trace": [bystander.pid],
                "memory_of": [os.getpid()],
                "environment_of": [os.getpid()],
            }
        finally:
            bystander.send_signal(signal.SIGKILL)
            bystander.wait()


def _accept(server: socket.socket) -> None:
    while True:
        try:
            server.accept()[0].close()
        except OSError:
            return


ATTEMPTS = tuple(line[4:].partition("(")[0] for line in SOURCE.splitlines() if line.startswith("def "))


def carried_out(launcher: Launcher, *, fresh: bool = True) -> tuple[tuple[str, ...], dict[str, bool]]:
    """The layers that hold, and for each attempt whether it succeeded.

    `fresh`: each in a worker of its own.
    """
    budget = Budget(call=20.0, total=200.0, memory=1 << 30, stops=99)
    client = Client(launcher, "attention", {"attention": ("attention.py", SOURCE)}, budget=budget)
    found = {}
    with surroundings() as arguments:
        try:
            assert client.load().ok, client.load()
            layers = client.layers
            for name in ATTEMPTS:
                found[name] = client.call(name, arguments.get(name, ())).ok
                if fresh:  # what one attempt has changed about the worker is not the next one's
                    client.close()
                    client.loaded = None
        finally:
            client.close()
    return layers, found


def run(way: str, without: Collection[str]) -> tuple[tuple[str, ...], dict[str, bool]]:
    kind = SpawnLauncher if way == "spawn" else ZygoteLauncher
    with kind(without) as launcher:
        return carried_out(launcher, fresh=way != "spawn")


if __name__ == "__main__":
    way, *left_out = sys.argv[1:]
    print(json.dumps(run(way, left_out[0].split(",") if left_out else ())))  # noqa: T201
