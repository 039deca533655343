"""The zygote: imports torch once, then forks one confined worker for each request.

The control socket carries one request a line of JSON (``{"op": "fork", ...}`` with the worker's end
of a socket pair as ancillary data, ``{"op": "reap", "pid": ...}``) and one JSON answer a line.  No
code of a learner ever runs in the zygote itself.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import platform
import random
import select
import signal
import socket
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from grader.worker import guard, landlock, placing, seccomp
from grader.worker.confine import Limits, beforehand, confine
from grader.worker.pages import enlarge
from grader.worker.reach import readable_paths
from grader.worker.scratch import remove
from grader.worker.server import serve

__all__ = ["run_spawned", "run_zygote", "secret_folder"]

PR_SET_CHILD_SUBREAPER = 36
MANY = 16  # workers: more than one run on all exercises takes, so that more are to come
QUIET, IDLE = 2000, 20  # milliseconds without a request, before many workers and after
SEED = 0x5EED_0F_9  # a number that nobody would set by hand, so that setting one shows


def secret_folder() -> str:
    """The package whose suites and solutions a worker must not read."""
    return str(Path(__file__).resolve().parent.parent)


def _prepare(*, gradients: bool = True) -> None:
    """Makes forking safe and quick: one thread, and the operators that are slow at first use.

    `gradients`: the first one starts a thread for each accelerator there is.
    """
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    random.seed(SEED)
    with contextlib.suppress(ImportError):
        import numpy.random

        numpy.random.seed(SEED)
    warm = torch.ones(2, 2, requires_grad=True)
    if gradients:
        torch.autograd.grad(torch.softmax(warm @ warm, dim=-1).sum(), [warm])
    torch.vmap(torch.sin)(warm)  # before 2.5 it imports much on first use, some of which workers may not read
    torch.nn.Linear(2, 2)(torch.ones(1, 2))
    guard.without_compiler()
    guard.block_operators(["attention"])  # which every exercise forbids: done once for all workers
    if platform.machine() in seccomp.ARCHITECTURES:
        seccomp.program(platform.machine())
    beforehand()
    allowed = ("site-packages", "dist-packages")
    prefixes = tuple({sys.prefix, sys.base_prefix})
    sys.path[:] = [p for p in sys.path if p.startswith(prefixes) or p.rstrip("/").endswith(allowed)]
    gc.freeze()  # what is loaded by now stays, and is shared with the workers
    sys.modules["grader"].__path__ = []  # nothing else of the package can be imported from here on


@dataclass(frozen=True)
class _Worker:
    """What is the same for every worker: the places it may read, and the layers around it."""

    places: Sequence[landlock.Place] = ()
    without: frozenset[str] = frozenset()
    layers: tuple[str, ...] = ()
    device: str = ""

    def work(self, sock: socket.socket, request: dict[str, Any]) -> None:
        """Confines this process and serves one submission."""
        limits = Limits(**request["limits"])
        begin = partial(placing.start, self.device) if self.device not in ("", "cpu") else None
        try:
            layers = confine(
                limits, request["scratch"], self.places, sock.fileno(), without=self.without, start=begin
            )
        except (
            RuntimeError,
            AssertionError,
        ) as error:  # of one that cannot be opened
            sock.sendall(json.dumps({"layers": [], "failed": str(error)[:500]}).encode() + b"\n")
            return
        low = socket.socket(fileno=os.dup(sock.fileno()))  # the lowest number, now that all are free
        sock.close()
        low.sendall(json.dumps({"layers": [*layers, *self.layers]}).encode() + b"\n")
        serve(low, warm=bool(request.get("warm")))


def _places(without: Collection[str]) -> Sequence[landlock.Place]:
    """What every worker may read, opened once for all of them."""
    if "landlock" in without or landlock.abi() == 0:
        return ()
    _allow_many_descriptors()
    readable, listable = readable_paths(secret_folder(), str(Path(torch.__file__).parent))
    opened = landlock.places([os.devnull], "discard")
    return opened + landlock.places(readable, "read") + landlock.places(listable, "list")


def _allow_many_descriptors() -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 8192 if hard == resource.RLIM_INFINITY else min(8192, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _room_for_files(enough: int = 16) -> bool:
    """Whether descriptors are left for lanes and workers: too few would leave out places, one by one."""
    opened = []
    try:
        for _ in range(enough):
            opened.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        return False
    finally:
        for number in opened:
            os.close(number)
    return True


# -- the zygote -------------------------------------------------------------------------------------


class _Control:
    """One socket on which a grader asks for workers, and the workers (with their scratch folders)."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.pending = b""
        self.children: dict[int, str] = {}

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

    def answer(self, message: dict[str, Any]) -> None:
        """A grader that is gone by now is found out by the next look at its socket."""
        with contextlib.suppress(OSError):
            self.sock.sendall(json.dumps(message).encode() + b"\n")


class _Zygote:
    """The control sockets, and what a worker is made with."""

    def __init__(self, first: _Control, worker: _Worker) -> None:
        self.first = first
        self.worker = worker
        self.lanes = {first.sock.fileno(): first}
        self.served = 0
        self.idle: Iterator[None] | None = enlarge()  # what is done while there is nothing else to do

    def run(self) -> None:
        """Serves requests until the first control socket is closed."""
        while self.first.sock.fileno() in self.lanes:
            for number in self.waiting():
                requests = self.lanes[number].requests()
                if requests is None:
                    self.close(self.lanes.pop(number))
                    continue
                for request, handles in requests:
                    self.serve(self.lanes[number], request, handles)
        for control in self.lanes.values():
            self.close(control)

    def waiting(self) -> list[int]:
        """The sockets that have something to read, as soon as there is one."""
        poll = select.poll()  # numbers may be high: every place that workers read is open
        for number in self.lanes:
            poll.register(number, select.POLLIN)
        while True:
            patience = IDLE if self.served > MANY else QUIET
            if found := poll.poll(patience if self.idle is not None else None):
                return [number for number, _ in found]
            if self.idle is not None and next(self.idle, False) is False:
                self.idle = None  # all is done

    def serve(self, control: _Control, request: dict[str, Any], handles: list[int]) -> None:
        if request["op"] == "fork" and not handles:  # no descriptor was left to receive it
            control.answer({"pid": None, "number": request.get("number")})
        elif request["op"] == "fork":
            pid = self.fork(handles.pop(0), request)
            control.children[pid] = request["scratch"]
            control.answer({"pid": pid, "number": request.get("number")})
            self.served += 1
        elif request["op"] == "lane":
            added = _Control(socket.socket(fileno=handles.pop(0)))
            self.lanes[added.sock.fileno()] = added
            added.answer({"ready": True})
        else:
            pid = int(request["pid"])
            status = self.reap(pid, float(request.get("wait", 0.0))) if pid in control.children else None
            control.children.pop(pid, None)
            control.answer({"status": status, "number": request.get("number")})

    def close(self, control: _Control) -> None:
        """Ends the workers that are left, and removes what the grader did not live to remove."""
        for pid, scratch in control.children.items():
            self.reap(pid, 0.0)
            remove(scratch)
        control.sock.close()

    def fork(self, handle: int, request: dict[str, Any]) -> int:
        pid = os.fork()
        if pid:
            os.close(handle)
            return pid
        code = 1
        try:
            for control in self.lanes.values():
                control.sock.detach()  # the descriptor itself is closed when the worker confines itself
            self.worker.work(socket.socket(fileno=handle), request)
            code = 0
        finally:
            os._exit(code)

    def reap(self, pid: int, wait: float) -> int | None:
        """The exit status of a child, after at most `wait` seconds of patience and then a kill."""
        until = time.monotonic() + wait
        while True:
            try:
                done, status = os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                return None
            if done:
                self.end_strays(pid)
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() >= until:
                os.kill(pid, signal.SIGKILL)
                until = float("inf")
            time.sleep(0.001)

    def end_strays(self, pid: int) -> None:
        """Ends what a worker has started, where no filter kept it from starting anything: its group,
        and those that made a group of their own, whose parent is gone, so that they are now ours."""
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)
        known = {child for control in self.lanes.values() for child in control.children}
        while strays := [child for child in _children() if child not in known]:
            for stray in strays:
                with contextlib.suppress(OSError):
                    os.kill(stray, signal.SIGKILL)
                    os.waitpid(stray, 0)


def _children() -> list[int]:
    try:
        return [int(n) for n in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    except (OSError, ValueError):  # no such file on this system
        return []


def run_zygote(descriptor: int, without: Collection[str] = (), layers: Sequence[str] = ()) -> None:
    """Serves requests until the grader closes the first control socket.

    ``lane`` brings a further control socket, for a part of the grader that works side by side.
    `without`: layers that are left out; `layers`: those that this process has put around itself.
    """
    first = _Control(socket.socket(fileno=descriptor))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the grader's to handle
    if sys.platform.startswith("linux"):  # what a worker leaves behind comes here, to be ended
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _prepare()
    worker = _Worker(_places(without), frozenset(without), tuple(layers))
    if not _room_for_files():
        first.answer({"lacks": "files"})
        os._exit(1)
    first.answer({"ready": True, "torch": torch.__version__})
    _Zygote(first, worker).run()
    os._exit(0)


def run_spawned(port: int, token: str, without: Collection[str] = (), device: str = "") -> None:
    """One worker in a process of its own, where forking is not to be had: connects to the grader.

    `device`: what it computes on, besides the CPU.
    """
    _prepare(gradients=device in ("", "cpu"))
    places = _places(without)
    if places and device not in ("", "cpu"):
        places = [
            *places,
            *landlock.places(placing.nodes(), "drive"),
            *landlock.places(placing.SYSTEM, "read"),
        ]
    sock = socket.create_connection(("127.0.0.1", port), timeout=30)
    sock.settimeout(None)
    sock.sendall(token.encode() + b"\n")
    line = b""
    while not line.endswith(b"\n"):
        line += sock.recv(1)
    _Worker(places, frozenset(without), device=device).work(sock, json.loads(line))
