"""Talks to one submission's worker: sends requests, waits with a deadline, starts anew after a crash."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.submission.launcher import Handle, Launcher
from grader.submission.observation import ErrorInfo, Observation, Outcome
from grader.submission.reply import parse_reply
from grader.worker.wire import Closed, Deadline, Malformed, Packer, receive, send

__all__ = ["Budget", "Callback", "Client", "Device"]


@dataclass(frozen=True)
class Budget:
    """Limits of one exercise: seconds for a call, for loading, and for all calls together; memory."""

    call: float = 10.0
    load: float = 15.0
    total: float = 60.0
    memory: int = 2 << 30
    stops: int = 3


@dataclass(frozen=True)
class Callback:
    """A callable of the closed set in `grader.worker.callables`, to pass to the learner's code."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    as_module: bool = False


@dataclass(frozen=True)
class Device:
    """A device argument."""

    name: str


class _RequestPacker(Packer):
    def pack(self, value: Any, depth: int = 0) -> Any:
        if isinstance(value, Callback):
            settings = {k: self.pack(v, depth + 1) for k, v in value.settings.items()}
            return {"$": "callable", "name": value.name, "with": settings, "module": value.as_module}
        if isinstance(value, Device):
            return {"$": "device", "v": value.name}
        return super().pack(value, depth)


class Client:
    """One module of a submission, running in a worker.  After a crash or a stop the next request
    gets a fresh worker with the module loaded again."""

    def __init__(
        self,
        launcher: Launcher,
        module: str,
        sources: Mapping[str, tuple[str, str]],
        *,
        budget: Budget | None = None,
        forbidden_names: Sequence[str] = (),
        forbidden_operators: Sequence[str] = (),
        expects: Sequence[str] = (),
    ) -> None:
        self.launcher = launcher
        self.module = module
        self.budget = budget or Budget()
        self._load_request = {
            "op": "load",
            "module": module,
            "sources": {name: list(pair) for name, pair in sources.items()},
            "names": list(forbidden_names),
            "operators": list(forbidden_operators),
            "expects": list(expects),
        }
        self._handle: Handle | None = None
        self.generation = 0
        self.stops = 0
        self.spent = 0.0
        self.layers: tuple[str, ...] = ()
        self.loaded: Observation | None = None
        self.printed: list[str] = []
        self.stopped_by: Observation | None = None
        self.globals_changed: set[str] = set()

    # -- the life of a worker -------------------------------------------------------------------

    def load(self) -> Observation:
        """Starts a worker where none runs and imports the module: what that gave."""
        if self._handle is None or self.loaded is None:
            limits = {"memory": self.budget.memory, "cpu": int(self.budget.total * 2) + 10}
            self._handle = self.launcher.launch(limits)
            self.layers = self._handle.layers
            self.generation += 1
            self.loaded = self._exchange(self._load_request, Packer(), self.budget.load)
        return self.loaded

    def close(self) -> None:
        """Ends the worker, if one runs."""
        if self._handle is not None:
            self.launcher.end(self._handle)
            self._handle = None

    @property
    def exhausted(self) -> bool:
        """True when the exercise has used up its time, or was stopped too often to go on."""
        return self.spent > self.budget.total or self.stops >= self.budget.stops

    # -- requests -------------------------------------------------------------------------------

    def call(
        self, name: str, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None, **options: Any
    ) -> Observation:
        """Calls a function of the module."""
        return self._request({"op": "call", "module": self.module, "name": name}, args, kwargs, options)

    def construct(
        self, name: str, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None, **options: Any
    ) -> Observation:
        """Makes an object of a class of the module; the value holds its handle and its state."""
        return self._request({"op": "construct", "module": self.module, "name": name}, args, kwargs, options)

    def forward(
        self, handle: int, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None, **options: Any
    ) -> Observation:
        """Calls an object made by `construct`."""
        return self._request({"op": "forward", "handle": handle}, args, kwargs, options)

    def _request(
        self,
        request: dict[str, Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any] | None,
        options: Mapping[str, Any],
    ) -> Observation:
        if self.exhausted and self.stopped_by is not None:
            return self.stopped_by
        loaded = self.load()
        if not loaded.ok:
            return loaded
        packer = _RequestPacker(strided=True)
        request = dict(request)
        request["args"] = [packer.pack(a) for a in args]
        request["kwargs"] = {k: packer.pack(v) for k, v in (kwargs or {}).items()}
        for name, value in options.items():
            if name == "then":
                request[name] = {
                    "args": [packer.pack(a) for a in value["args"]],
                    "kwargs": {k: packer.pack(v) for k, v in value["kwargs"].items()},
                    **{
                        k: packer.pack(v) if k == "cotangents" else v
                        for k, v in value.items()
                        if k not in ("args", "kwargs")
                    },
                }
            else:
                request[name] = packer.pack(value) if name in ("state", "cotangents") else value
        return self._exchange(request, packer, self.budget.call)

    def _exchange(self, request: Mapping[str, Any], packer: Packer, seconds: float) -> Observation:
        assert self._handle is not None
        handle = self._handle
        identity = secrets.token_hex(8)
        started = time.monotonic()
        try:
            send(handle.sock, {**request, "id": identity}, packer.tensors)
            header, tensors = receive(handle.sock, seconds)
            seen = parse_reply(header, tensors, identity)
        except Deadline:
            seen = self._stop(Outcome.TIMED_OUT, seconds)
        except Malformed as error:
            seen = self._stop(Outcome.MALFORMED, seconds, str(error))
        except Closed:
            seen = self._crash()
        took = time.monotonic() - started
        self.spent += took
        if seen.printed:
            self.printed.append(seen.printed)
        self.globals_changed |= set(seen.globals_changed)
        return seen

    def _stop(self, outcome: Outcome, seconds: float, why: str = "") -> Observation:
        status = self._end(0.0)
        error = ErrorInfo(outcome.value, why or f"stopped after {seconds:g} s")
        return self._remember(Observation(outcome, error=error, exit_status=status, seconds=seconds))

    def _crash(self) -> Observation:
        status = self._end(0.2)
        kind = Outcome.CRASHED
        return self._remember(Observation(kind, error=ErrorInfo("crash", ""), exit_status=status))

    def _end(self, patience: float) -> int | None:
        assert self._handle is not None
        status = self.launcher.end(self._handle, patience)
        self._handle = None
        self.loaded = None
        return status

    def _remember(self, seen: Observation) -> Observation:
        self.stops += 1
        self.stopped_by = seen
        return seen
