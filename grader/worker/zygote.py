"""The zygote: imports torch once, then forks one confined worker for each request.

The control socket carries one request a line of JSON (``{"op": "fork", ...}`` with the worker's end
of a socket pair as ancillary data, ``{"op": "reap", "pid": ...}``) and one JSON answer a line.  No
code of a learner ever runs in the zygote itself.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

import torch

from grader.worker.confine import Limits, confine
from grader.worker.server import serve

__all__ = ["run_spawned", "run_zygote", "secret_folder"]


def secret_folder() -> str:
    """The package whose suites and solutions a worker must not read."""
    return str(Path(__file__).resolve().parent.parent)


def _prepare() -> None:
    """Makes forking safe and quick: one thread, and the operators that are slow at first use."""
    torch.set_num_threads(1)
    torch.manual_seed(0x5EED_0F_9)  # a number that nobody would set by hand, so that setting one shows
    warm = torch.ones(2, 2, requires_grad=True)
    torch.softmax(warm @ warm, dim=-1).sum().backward()
    torch.nn.Linear(2, 2)(torch.ones(1, 2))
    allowed = ("site-packages", "dist-packages")
    prefixes = tuple({sys.prefix, sys.base_prefix})
    sys.path[:] = [p for p in sys.path if p.startswith(prefixes) or p.rstrip("/").endswith(allowed)]
    sys.modules["grader"].__path__ = []  # nothing else of the package can be imported from here on


def run_zygote(descriptor: int) -> None:
    """Serves fork and reap requests on the control socket until the grader closes it."""
    control = socket.socket(fileno=descriptor)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the grader's to handle
    _prepare()
    _answer(control, {"ready": True, "torch": torch.__version__})
    pending = b""
    children: set[int] = set()
    while True:
        try:
            data, handles, _, _ = socket.recv_fds(control, 65536, 4)
        except OSError:
            break
        if not data:
            break
        pending += data
        while b"\n" in pending:
            line, pending = pending.split(b"\n", 1)
            request = json.loads(line)
            if request["op"] == "fork":
                pid = _fork(control, handles.pop(0), request)
                children.add(pid)
                _answer(control, {"pid": pid})
            else:
                pid = int(request["pid"])
                _answer(control, {"status": _reap(pid, float(request.get("wait", 0.0)))})
                children.discard(pid)
    for pid in children:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            continue
    os._exit(0)


def _answer(control: socket.socket, message: dict[str, Any]) -> None:
    control.sendall(json.dumps(message).encode() + b"\n")


def _fork(control: socket.socket, handle: int, request: dict[str, Any]) -> int:
    pid = os.fork()
    if pid:
        os.close(handle)
        return pid
    code = 1
    try:
        control.detach()
        _work(socket.socket(fileno=handle), request)
        code = 0
    finally:
        os._exit(code)


def _work(sock: socket.socket, request: dict[str, Any]) -> None:
    layers = confine(Limits(**request["limits"]), request["scratch"], secret_folder(), sock.fileno())
    sock.sendall(json.dumps({"layers": layers}).encode() + b"\n")
    serve(sock)


def _reap(pid: int, wait: float) -> int | None:
    """The exit status of a child, after at most `wait` seconds of patience and then a kill."""
    until = time.monotonic() + wait
    while True:
        try:
            done, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            return None
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() >= until:
            os.kill(pid, signal.SIGKILL)
            until = float("inf")
        time.sleep(0.001)


def run_spawned(port: int, token: str) -> None:
    """One worker in a process of its own, where forking is not to be had: connects to the grader."""
    _prepare()
    sock = socket.create_connection(("127.0.0.1", port), timeout=30)
    sock.settimeout(None)
    sock.sendall(token.encode() + b"\n")
    line = b""
    while not line.endswith(b"\n"):
        line += sock.recv(1)
    _work(sock, json.loads(line))
