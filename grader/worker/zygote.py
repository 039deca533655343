"""The zygote: imports torch once, then forks one confined worker for each request.

The control socket carries one request a line of JSON (``{"op": "fork", ...}`` with the worker's end
of a socket pair as ancillary data, ``{"op": "reap", "pid": ...}``) and one JSON answer a line.  No
code of a learner ever runs in the zygote itself.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
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
    torch.autograd.grad(torch.softmax(warm @ warm, dim=-1).sum(), [warm])
    torch.nn.Linear(2, 2)(torch.ones(1, 2))
    allowed = ("site-packages", "dist-packages")
    prefixes = tuple({sys.prefix, sys.base_prefix})
    sys.path[:] = [p for p in sys.path if p.startswith(prefixes) or p.rstrip("/").endswith(allowed)]
    gc.freeze()  # what is loaded by now stays, and is shared with the workers
    sys.modules["grader"].__path__ = []  # nothing else of the package can be imported from here on


class _Control:
    """One socket on which a grader asks for workers, and the workers that it was given."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.pending = b""
        self.children: set[int] = set()

    def requests(self) -> list[tuple[dict[str, Any], list[int]]] | None:
        """What has arrived, with its descriptors; None when the grader has closed the socket."""
        try:
            data, handles, _, _ = socket.recv_fds(self.sock, 65536, 4)
        except OSError:
            return None
        if not data:
            return None
        *lines, self.pending = (self.pending + data).split(b"\n")
        return [(json.loads(line), handles) for line in lines]

    def close(self) -> None:
        """Ends the workers that are left."""
        for pid in self.children:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        for pid in self.children:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
        self.sock.close()


def run_zygote(descriptor: int) -> None:
    """Serves requests until the grader closes the first control socket.

    ``lane`` brings a further control socket, for a part of the grader that works side by side.
    """
    first = _Control(socket.socket(fileno=descriptor))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the grader's to handle
    _prepare()
    _answer(first.sock, {"ready": True, "torch": torch.__version__})
    lanes = {first.sock.fileno(): first}
    while first.sock.fileno() in lanes:
        for number in select.select(list(lanes), [], [])[0]:
            control = lanes[number]
            requests = control.requests()
            if requests is None:
                control.close()
                del lanes[number]
                continue
            for request, handles in requests:
                _serve_control(control, request, handles, lanes)
    for control in lanes.values():
        control.close()
    os._exit(0)


def _serve_control(
    control: _Control, request: dict[str, Any], handles: list[int], lanes: dict[int, _Control]
) -> None:
    if request["op"] == "fork":
        pid = _fork(list(lanes.values()), handles.pop(0), request)
        control.children.add(pid)
        _answer(control.sock, {"pid": pid})
    elif request["op"] == "lane":
        added = _Control(socket.socket(fileno=handles.pop(0)))
        lanes[added.sock.fileno()] = added
        _answer(added.sock, {"ready": True})
    else:
        pid = int(request["pid"])
        _answer(control.sock, {"status": _reap(pid, float(request.get("wait", 0.0)))})
        control.children.discard(pid)


def _answer(control: socket.socket, message: dict[str, Any]) -> None:
    control.sendall(json.dumps(message).encode() + b"\n")


def _fork(controls: list[_Control], handle: int, request: dict[str, Any]) -> int:
    pid = os.fork()
    if pid:
        os.close(handle)
        return pid
    code = 1
    try:
        for control in controls:
            control.sock.detach()  # the descriptor itself is closed when the worker confines itself
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
