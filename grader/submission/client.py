"""Talks to one submission's worker: sends requests, waits with a deadline, starts anew after a crash."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.submission.asking import (
    Asked,
    Callback,
    Device,
    ask_call,
    ask_construct,
    ask_forward,
    ask_load,
    ask_train,
)
from grader.submission.clock import Clock
from grader.submission.launcher import Handle, Launcher
from grader.submission.observation import ErrorInfo, Observation, Outcome
from grader.submission.reply import parse_reply
from grader.worker.scratch import MAX_ENTRIES, usage
from grader.worker.wire import MAX_STATES, Closed, Deadline, Malformed, receive, send_frame

__all__ = ["Budget", "Callback", "Client", "Device"]


MAX_ANSWER = 64 << 20  # bytes of tensors
MIN_SECONDS = 0.2
HURRIED = 0.2  # of the seconds for a call, once one has taken all of them: the next ones rarely end either


@dataclass(frozen=True)
class Budget:
    """Limits of one exercise.

    call, load, total: seconds for a call, for loading, and for everything together; memory: bytes beside
    what torch takes; processes: threads at once; output: printed characters that are kept; disk: bytes
    written; stops: how often the worker may crash or be stopped before the rest is given up.
    """

    call: float = 10.0
    load: float = 15.0
    total: float = 60.0
    memory: int = 2 << 30
    processes: int = 64
    output: int = 16_000
    disk: int = 64 << 20
    stops: int = 3

    def of_worker(self) -> dict[str, int]:
        """What the worker is asked to impose upon itself, as `worker.confine.Limits`."""
        cpu = int(self.total * 2) + 10  # a last resort, where nobody is left to look at the clock
        return {"memory": self.memory, "cpu": cpu, "processes": self.processes}


class _TooMuchWritten(Exception):
    """The scratch folder holds more than is allowed."""


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
        self.expects = tuple(expects)
        self._load_request = ask_load(
            module, sources, forbidden_names, forbidden_operators, expects, self.budget.output
        )
        self._handle: Handle | None = None
        self._known: set[str] = set()  # the states that this worker has been sent
        self._clock = Clock(0)
        self.generation = 0
        self.stops = 0
        self.spent = 0.0
        self.layers: tuple[str, ...] = ()
        self.loaded: Observation | None = None
        self.printed: list[str] = []
        self._kept = 0
        self.stopped_by: Observation | None = None
        self.hurried = False
        self.globals_changed: set[str] = set()

    # -- the life of a worker -------------------------------------------------------------------

    def load(self) -> Observation:
        """Starts a worker where none runs and imports the module: what that gave."""
        if self._handle is None or self.loaded is None:
            self._handle = self.launcher.launch(self.budget.of_worker())
            self._clock = Clock(self._handle.pid)
            self.layers = self._handle.layers
            self._known = set()
            self.generation += 1
            self.loaded = self._exchange(self._load_request, self.budget.load)
        return self.loaded

    def close(self) -> None:
        """Ends the worker, if one runs."""
        if self._handle is not None:
            self.launcher.leave(self._handle)
            self._handle = None

    @property
    def exhausted(self) -> bool:
        """True when the exercise has used up its time, or was stopped too often to go on."""
        return self.spent > self.budget.total or self.stops >= self.budget.stops

    @property
    def pid(self) -> int | None:
        """The process of the worker, where one runs."""
        return None if self._handle is None else self._handle.pid

    # -- requests -------------------------------------------------------------------------------

    def call(
        self, name: str, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None, **options: Any
    ) -> Observation:
        """Calls a function of the module."""
        return self.ask(lambda: ask_call(self.module, name, args, kwargs or {}, options))

    def construct(
        self, name: str, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None, **options: Any
    ) -> Observation:
        """Makes an object of a class of the module; the value holds its handle and its state."""
        return self.ask(lambda: ask_construct(self.module, name, args, kwargs or {}, options))

    def forward(
        self, handle: int, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None, **options: Any
    ) -> Observation:
        """Calls an object made by `construct`."""
        return self.ask(lambda: ask_forward(handle, args, kwargs or {}, options))

    def train(self, handle: int, args: Sequence[Any] = (), **options: Any) -> Observation:
        """Trains an object made by `construct` with the module's own functions, or lets it decode."""
        return self.ask(lambda: ask_train(handle, self.module, args, options))

    def ask(self, asked: Callable[[], Asked]) -> Observation:
        """Asks the worker, if it may still be asked; `asked` gives the request."""
        if self.exhausted:
            return self._give_up()
        loaded = self.load()
        if not loaded.ok:
            return loaded
        return self._exchange(asked(), self.budget.call * (HURRIED if self.hurried else 1.0))

    def _exchange(self, asked: Asked, seconds: float) -> Observation:
        assert self._handle is not None
        handle = self._handle
        identity = secrets.token_hex(8)
        started = time.monotonic()
        left = max(MIN_SECONDS, self.budget.total - self.spent)
        clock = self._clock
        clock.ask(min(seconds, left))
        try:
            send_frame(handle.sock, *self._numbered(asked, identity), min(seconds, left))
            header, tensors = receive(
                handle.sock, min(seconds, left), most=MAX_ANSWER, watch=self._wait, waited=clock.waited
            )
            seen = parse_reply(header, tensors, identity, asked.parts)
            self._watch()
        except Deadline:
            seen = self._stop(Outcome.TIMED_OUT, seconds if seconds <= left else self.budget.total)
        except _TooMuchWritten:
            seen = self._stop(Outcome.OUT_OF_DISK, seconds)
        except Malformed as error:
            seen = self._stop(Outcome.MALFORMED, seconds, str(error))
        except Closed:
            seen = self._crash()
        took = time.monotonic() - started
        self.spent += took - clock.waited()
        self._keep(seen.printed)
        self.globals_changed |= set(seen.globals_changed)
        return seen

    def _numbered(self, asked: Asked, identity: str) -> tuple[bytes, bytes]:
        if len(self._known) >= MAX_STATES:  # the worker forgets them at the same moment
            self._known.clear()
        numbered = asked.numbered(identity, self._known)
        if asked.state is not None:
            self._known.add(asked.state.key)
        return numbered

    def _wait(self) -> None:
        """Nothing has come for a while."""
        self._clock.tick()
        self._watch()

    def _watch(self) -> None:
        """What a submission writes is limited here: no limit of the system counts it all together."""
        if self._handle is not None:
            entries, size = usage(self._handle.scratch)
            if entries >= MAX_ENTRIES or size > self.budget.disk:
                raise _TooMuchWritten

    def _keep(self, printed: str) -> None:
        room = self.budget.output - self._kept
        if printed and room > 0:
            self.printed.append(printed[:room])
            self._kept += len(self.printed[-1])

    def _give_up(self) -> Observation:
        """What the rest of the exercise is told, once its time is used up or it was stopped too often."""
        if self.stopped_by is None:  # no single call took too long, but all of them together did
            self.close()
            self.loaded = None
            error = ErrorInfo(Outcome.TIMED_OUT.value, f"stopped after {self.budget.total:g} s in all")
            self.stopped_by = Observation(Outcome.TIMED_OUT, error=error, seconds=self.budget.total)
        return self.stopped_by

    def _stop(self, outcome: Outcome, seconds: float, why: str = "") -> Observation:
        status = self._end(0.0)
        self.hurried = self.hurried or outcome is Outcome.TIMED_OUT
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
