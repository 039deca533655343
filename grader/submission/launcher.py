"""Starts the zygote and gets workers from it; where there is no fork, spawns each worker.

The zygote is a process of its own, started with ``python -I``, not a fork of the grader: it imports
torch while the grader does so on another core, and its memory has never held a suite.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import secrets
import signal
import site
import socket
import subprocess
import sys
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from grader.closing import Closing
from grader.errors import ZygoteError
from grader.submission.resources import new_pair, new_scratch, no_room, too_many_files
from grader.text import Text
from grader.worker.scratch import remove
from grader.worker.waiting import readable

__all__ = ["Handle", "Launcher", "SpawnLauncher", "ZygoteLauncher", "default_launcher"]

START_SECONDS = 120.0
PR_SET_DUMPABLE = 4
# what -I does and leaves room for a fixed hash seed: a set has the same order on every run
START = """
import sys
if sys.path[:1] == [""]:
    del sys.path[0]
from grader.worker.__main__ import main
main(sys.argv[1:])
"""


@dataclass
class Handle:
    """One running worker: its socket, its scratch folder, and the layers that confine it."""

    sock: socket.socket
    pid: int
    scratch: str
    layers: tuple[str, ...]
    process: subprocess.Popen[bytes] | None = None


class Launcher(Closing):
    """Gives out workers and takes them back."""

    _layers: tuple[str, ...] | None = None

    def launch(self, limits: Mapping[str, int], *, early: bool = False) -> Handle:
        """A new worker; `early`: it is not needed yet, and may use the time to warm up."""
        raise NotImplementedError

    def end(self, handle: Handle, patience: float = 0.0) -> int | None:
        """Stops a worker (after `patience` seconds in which it may end by itself): its exit status."""
        raise NotImplementedError

    def leave(self, handle: Handle) -> None:
        """Stops a worker that nobody asks anything any more."""
        self.end(handle)

    def layers(self) -> tuple[str, ...]:
        """What confines a worker on this machine: all of them alike."""
        if self._layers is None:
            handle = self.launch({})
            self.end(handle)
            self._layers = handle.layers
        return self._layers

    def lane(self) -> Launcher:
        """A launcher that another process may use at the same time."""
        raise NotImplementedError


class _Forking(Launcher):
    """Asks the zygote for workers on one control socket."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._buffer = b""
        self._ready = False
        self._asked = 0

    def launch(self, limits: Mapping[str, int], *, early: bool = False) -> Handle:
        self._wait_until_ready()
        scratch = new_scratch()
        pid = None
        try:
            ours, theirs = new_pair()
        except BaseException:
            remove(scratch)
            raise
        request = {"op": "fork", "limits": dict(limits), "scratch": scratch, "warm": early}
        try:
            pid = self._ask(request, theirs)["pid"]
            if pid is None:
                raise no_room(too_many_files())
            layers = _read_layers(ours)
        except BaseException as error:  # Ctrl-C too must leave nothing behind
            if pid is not None:
                self.end(Handle(ours, pid, scratch, ()))
            ours.close()
            remove(scratch)
            if isinstance(error, OSError):
                raise self._dead() from error
            raise
        finally:
            theirs.close()
        return Handle(ours, pid, scratch, _hidden(layers))

    def end(self, handle: Handle, patience: float = 0.0) -> int | None:
        request = {"op": "reap", "pid": handle.pid, "wait": patience}
        status: int | None = None
        with contextlib.suppress(OSError):
            status = self._ask(request)["status"]
        handle.sock.close()
        remove(handle.scratch)
        return status

    def lane(self) -> Launcher:
        """A launcher of its own on the same zygote, for a process that works side by side."""
        self._wait_until_ready()
        ours, theirs = new_pair()
        try:
            socket.send_fds(self._control, [b'{"op": "lane"}\n'], [theirs.fileno()])
        except OSError as error:
            raise self._dead() from error
        finally:
            theirs.close()
        return _Forking(ours)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._control.close()

    def _wait_until_ready(self) -> None:
        if not self._ready:
            answer = self._line()
            if answer.get("lacks") == "files":
                raise no_room(too_many_files())
            if answer.get("ready") is not True:
                raise self._dead()
            self._ready = True

    def _ask(self, request: Mapping[str, Any], handle: socket.socket | None = None) -> dict[str, Any]:
        """The answer to a request; one to an earlier one, which Ctrl-C has interrupted, is passed over."""
        self._asked += 1
        line = json.dumps({**request, "number": self._asked}).encode() + b"\n"
        if handle is None:
            self._control.sendall(line)
        else:
            socket.send_fds(self._control, [line], [handle.fileno()])
        while (answer := self._line()).get("number") != self._asked:
            continue
        return answer

    def _line(self) -> dict[str, Any]:
        until = time.monotonic() + START_SECONDS
        while b"\n" not in self._buffer:
            left = until - time.monotonic()
            if left <= 0 or not readable(self._control, left):
                raise self._dead()
            try:
                data = self._control.recv(4096)
            except OSError:
                data = b""
            if not data:
                raise self._dead()
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\n", 1)
        found: dict[str, Any] = json.loads(line)
        return found

    def _said(self) -> str:
        return "no answer"

    def _dead(self) -> ZygoteError:
        why = self._said()
        return ZygoteError(
            Text(
                f"the process that runs submissions does not start ({why}); run `grade doctor`",
                f"运行提交代码的进程无法启动（{why}）；请运行 `grade doctor`",
            )
        )


class ZygoteLauncher(_Forking):
    """Workers forked from one warm process (Linux): the zygote, `process`."""

    def __init__(self, without: Collection[str] = ()) -> None:
        """`without`: layers of `worker.confine` to leave out, to see what the others do."""
        ours, theirs = new_pair()
        super().__init__(ours)
        self.process = subprocess.Popen(
            _command("zygote", theirs.fileno(), without),
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=_clean_environment(),
        )
        theirs.close()

    def close(self) -> None:
        super().close()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stderr is not None:
            self.process.stderr.close()

    def _said(self) -> str:
        said = b""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=2)
        if self.process.poll() is not None and self.process.stderr is not None:
            said = self.process.stderr.read()[-2000:]
        last = said.decode(errors="replace").strip().splitlines()
        return last[-1] if last else "no answer"


class SpawnLauncher(Launcher):
    """Workers in processes of their own (Windows, macOS): each one imports torch anew."""

    def __init__(self, without: Collection[str] = (), device: str = "") -> None:
        """`device`: what the worker may compute on besides the CPU, and then is confined less well."""
        self._without = without
        self._device = device

    def launch(self, limits: Mapping[str, int], *, early: bool = False) -> Handle:
        token = secrets.token_hex(16)
        scratch = new_scratch()
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(START_SECONDS)
            process = subprocess.Popen(
                _command("spawn", server.getsockname()[1], self._without, self._device),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=_clean_environment() | (_of_devices() if self._device else {}),
            )
            assert process.stdin is not None
            process.stdin.write(token.encode() + b"\n")
            process.stdin.close()
            sock = self._accept(server, token, process)
        sock.sendall(json.dumps({"limits": dict(limits), "scratch": scratch}).encode() + b"\n")
        try:
            layers = _read_layers(sock)
        except BaseException:
            self.end(Handle(sock, process.pid, scratch, (), process))
            raise
        return Handle(sock, process.pid, scratch, _hidden(layers), process)

    @staticmethod
    def _accept(server: socket.socket, token: str, process: subprocess.Popen[bytes]) -> socket.socket:
        while True:
            try:
                sock, _ = server.accept()
            except OSError as error:
                process.kill()
                process.wait()
                raise ZygoteError(
                    Text(
                        "the process that runs submissions does not start; run `grade doctor`",
                        "运行提交代码的进程无法启动；请运行 `grade doctor`",
                    )
                ) from error
            said = b""
            sock.settimeout(10)
            with contextlib.suppress(OSError):
                while not said.endswith(b"\n") and len(said) < 100:
                    said += sock.recv(1) or b"\n"
            if secrets.compare_digest(said.strip(), token.encode()):
                sock.settimeout(None)
                return sock
            sock.close()

    def end(self, handle: Handle, patience: float = 0.0) -> int | None:
        assert handle.process is not None
        try:
            status: int | None = handle.process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            handle.process.kill()
            status = handle.process.wait()
        handle.sock.close()
        remove(handle.scratch)
        return status

    def lane(self) -> Launcher:
        return self

    def close(self) -> None:
        return


def default_launcher() -> Launcher:
    """The launcher for this machine: forking where it is safe, else spawning."""
    if sys.platform.startswith("linux") and hasattr(os, "fork"):
        return ZygoteLauncher()
    return SpawnLauncher()


def _command(what: str, number: int, without: Collection[str], device: str = "") -> list[str]:
    """How a process of the worker's side is started: apart from the working directory and the
    environment, and from the user's own packages where this Python does not use them either."""
    flags = [] if site.ENABLE_USER_SITE else ["-s"]
    if sys.dont_write_bytecode:
        flags.append("-B")
    words = [",".join(without), device] if device else [",".join(without)] if without else []
    return [sys.executable, *flags, "-c", START, what, str(number), *words]


def _hidden(layers: tuple[str, ...]) -> tuple[str, ...]:
    """Makes the grader's memory unreadable for processes of the same user, where Landlock does not."""
    if "landlock" not in layers and sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    return layers


def _clean_environment() -> dict[str, str]:
    keep = ("PATH", "HOME", "LANG", "LC_ALL", "SYSTEMROOT", "TEMP", "TMP", "LD_LIBRARY_PATH", "VIRTUAL_ENV")
    found = {name: os.environ[name] for name in keep if name in os.environ}
    fixed = {"PYTHONHASHSEED": "0", "PYTHONSAFEPATH": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    return found | fixed


def _of_devices() -> dict[str, str]:
    """Which accelerators the user wants to be used; and nothing is to be kept between runs."""
    names = ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
    return {name: os.environ[name] for name in names if name in os.environ} | {"CUDA_CACHE_DISABLE": "1"}


def _read_layers(sock: socket.socket) -> tuple[str, ...]:
    """The worker's own first line, written before any code of the learner's is loaded."""
    line = b""
    until = time.monotonic() + START_SECONDS
    while not line.endswith(b"\n") and len(line) < 2000:
        if not readable(sock, max(0.0, until - time.monotonic())):
            break
        try:
            byte = sock.recv(1)
        except OSError:
            break
        if not byte:
            break
        line += byte
    try:
        said = json.loads(line)
        if failed := said.get("failed"):
            words = " ".join(str(failed)[:300].split())
            raise ZygoteError(Text(f"the device cannot be opened: {words}", f"无法打开该设备：{words}"))
        return tuple(str(word) for word in said["layers"])
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ZygoteError(
            Text(
                "a worker ended before it was ready; run `grade doctor`",
                "工作进程在就绪之前就结束了；请运行 `grade doctor`",
            )
        ) from None


# a worker that dies while we write to it must not take the grader with it
if hasattr(signal, "SIGPIPE"):
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
