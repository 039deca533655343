"""Serves the closed set of requests in a forked, confined process: load, call, construct, forward.

Every request is answered by one reply whose ``outcome`` is ``ok`` or ``raised``.  What the worker
says about itself is only a claim; the trusted side validates the form of it and judges the numbers.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import socket
import sys
import types
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from grader.worker import guard
from grader.worker.alone import Alone
from grader.worker.arguments import Arguments, all_tensors, given_state, no_special
from grader.worker.chance import same_on_every_run
from grader.worker.devices import OneDevice
from grader.worker.loading import MAX_PRINTED, Printed, SourceFinder
from grader.worker.looking import (
    Memory,
    buffers_of,
    converted,
    described,
    modules_of,
    parameters_of,
    set_state,
    state_of,
)
from grader.worker.placing import Placing
from grader.worker.poison import POISON, poisoned
from grader.worker.raised import described_error, short
from grader.worker.settings import Settings, leave_modes, seed
from grader.worker.shelf import Shelf
from grader.worker.trace import Recorder
from grader.worker.training import Training
from grader.worker.wire import (
    MAX_STATES,
    Closed,
    Malformed,
    Packer,
    dtype_of,
    receive_request,
    saved,
    send,
    tensors_of,
    unpack,
)

__all__ = ["Returned", "Server", "serve"]

GARBAGE = (20_000, 20, 20)  # modules come and go: looking for cycles at every 700 takes a tenth of the time


@dataclass
class Returned:
    """What a call gave: the value, and what was noticed around it."""

    value: Any
    notes: dict[str, Any]


class Server:
    """The state of one worker: the loaded modules and the constructed objects."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.printed = Printed()
        self.finder: SourceFinder | None = None
        self.module = ""
        self.objects: dict[int, Any] = {}
        self.trainings: dict[int, Training] = {}
        self.recorder: Recorder | None = None
        self.shelf = Shelf({})
        self.recomputes = False
        self.states: dict[str, dict[str, Tensor]] = {}

    def run(self) -> None:
        """Answers requests until the other side is gone."""
        sys.stdout = sys.stderr = self.printed
        sys.stdin = io.StringIO("")
        warnings.simplefilter("ignore")  # between calls; those of a call are caught in `answer`
        while True:
            try:
                request, tensors, state = receive_request(self.sock)
            except (Closed, Malformed):
                return
            self.know(request, state)
            packer = Packer()
            reply = self.answer(request, tensors, packer)
            reply["id"] = request.get("id")
            reply["printed"] = self.printed.take()
            try:
                send(self.sock, reply, packer.tensors)
            except Malformed as error:
                problem = {"type": "TooLarge", "message": str(error), "frames": []}
                answer = {"id": request.get("id"), "outcome": "raised", "error": problem, "printed": ""}
                send(self.sock, answer, {})
            except Closed:
                return

    def know(self, request: dict[str, Any], tensors: dict[str, Tensor]) -> None:
        """Puts the state itself where a request mentions one: one that came before, or comes with it."""
        state = request.get("state")
        if not isinstance(state, dict) or "key" not in state:
            return
        if "tree" in state:
            if len(self.states) >= MAX_STATES:
                self.states.clear()
            self.states[state["key"]] = unpack(state["tree"], tensors, no_special, strided=True)
        request["state"] = self.states[state["key"]]

    def answer(self, request: dict[str, Any], tensors: dict[str, Tensor], packer: Packer) -> dict[str, Any]:
        handlers: dict[str, Callable[[dict[str, Any], dict[str, Tensor]], Returned]] = {
            "load": self.load,
            "call": self.call,
            "construct": self.construct,
            "forward": self.forward,
            "train": self.train,
        }
        caught: list[warnings.WarningMessage] = []
        if request.get("seed") is not None:
            seed(int(request["seed"]))
        self.before = Settings()
        guard.refused(forget=True)
        self.noticed: set[str] = set()
        try:
            with warnings.catch_warnings(record=True) as caught:
                self.caught = caught
                warnings.simplefilter("default")
                returned = handlers[request["op"]](request, tensors)
            leave_modes()
            reply: dict[str, Any] = {"outcome": "ok", "value": packer.pack(returned.value)}
            for name, note in returned.notes.items():
                reply[name] = packer.pack(note)
        except BaseException as error:  # noqa: BLE001  sys.exit() and KeyboardInterrupt are the learner's too
            leave_modes()
            reply = {"outcome": "raised", "error": self.describe(error)}
            if self.recorder is not None:  # what was computed before it went wrong
                reply["trace"] = packer.pack(self.recorder.events)
        self.recorder = None
        reply["globals"] = sorted(self.noticed | set(self.before.restore()))
        reply["warnings"] = [short(f"{w.category.__name__}: {w.message}", 500) for w in caught[:20]]
        return reply

    # -- the requests ---------------------------------------------------------------------------

    def load(self, request: dict[str, Any], tensors: dict[str, Tensor]) -> Returned:
        """Takes the learner's files, blocks what is forbidden, and imports one module."""
        if self.finder is None:
            sources = {name: (str(f), str(t)) for name, (f, t) in request["sources"].items()}
            self.finder = SourceFinder(sources)
            sys.meta_path.insert(0, self.finder)
            self.shelf = Shelf({name: text for name, (_, text) in sources.items()})
            self.printed.limit = int(request.get("output") or MAX_PRINTED)
            self.recomputes = any("checkpoint" in text for _, text in sources.values())
        guard.block(request.get("names", []))
        guard.block_operators(request.get("operators", []))
        module = __import__(request["module"])
        self.module = request["module"]
        return Returned({name: _kind(module, name) for name in request.get("expects", [])}, {})

    def call(self, request: dict[str, Any], tensors: dict[str, Tensor]) -> Returned:
        """Calls a function of a loaded module."""
        function = getattr(sys.modules[request["module"]], request["name"])
        return self.invoke(function, request, tensors)

    def construct(self, request: dict[str, Any], tensors: dict[str, Tensor]) -> Returned:
        """Makes an object of a class, gives it dtype, state and mode, and keeps it under a number."""
        follow = request.get("then")
        if follow is not None:
            return self.make_and_call(request, follow, tensors)
        made = self.made(request, tensors)
        if not isinstance(made, nn.Module):
            return Returned({"module": False, "type": type(made).__name__}, {})
        value = described(made)
        if request.get("state") is not None:
            value["unset"] = set_state(state_of(made), given_state(request, tensors))
        made.train(bool(request.get("train", False)))
        value["handle"] = len(self.objects)
        self.objects[value["handle"]] = made
        if request.get("values"):
            value["values"] = state_of(made)
        return Returned(value, {})

    def made(self, request: dict[str, Any], tensors: dict[str, Tensor]) -> Any:
        """A new object of a class, with the dtype and on the device that it is to have."""
        arguments = Arguments(request, tensors, watched=False)
        kind = getattr(sys.modules[request["module"]], request["name"])
        with poisoned(request.get("poison", POISON if request.get("values") else None)):
            made = kind(*arguments.args, **arguments.kwargs)
        if isinstance(made, nn.Module) and request.get("dtype"):
            made = converted(made, dtype_of(request["dtype"]))
        if isinstance(made, nn.Module) and request.get("device"):
            made = made.to(Placing.of(request).device)
        return made

    def make_and_call(
        self, request: dict[str, Any], follow: dict[str, Any], tensors: dict[str, Tensor]
    ) -> Returned:
        """Constructs and calls in one go; nobody will ask for the object again, but for one like it."""
        given = given_state(request, tensors)
        name = self.shelf.name(request)
        kept = self.shelf.take(name, given)
        made = self.made(request, tensors) if kept is None else kept.made
        if not isinstance(made, nn.Module):
            return Returned({"module": False, "type": type(made).__name__}, {})
        if kept is None and name is not None and self.quiet():
            kept = self.shelf.kept(made)
        if kept is None:
            set_state(state_of(made), given)
            made.train(bool(request.get("train", False)))
        else:
            kept.prepare(given, bool(request.get("train", False)))
        if follow.get("seed") is not None:
            self.reseed(int(follow["seed"]))
        returned = self.invoke(made, follow, tensors, made)
        if kept is not None and name is not None:
            self.shelf.put(name, kept)
        return returned

    def quiet(self) -> bool:
        """Whether nothing but an object has come of this request so far."""
        return not self.caught and not self.printed.length and not self.before.changed()

    def forward(self, request: dict[str, Any], tensors: dict[str, Tensor]) -> Returned:
        """Calls a constructed object (or a method of it)."""
        made = self.objects[request["handle"]]
        if "train" in request:
            made.train(bool(request["train"]))
        function = getattr(made, request["method"]) if request.get("method") else made
        return self.invoke(function, request, tensors, made)

    def train(self, request: dict[str, Any], tensors: dict[str, Tensor]) -> Returned:
        """Trains a constructed model for some steps, or lets it decode: `do` says which."""
        handle, module = request["handle"], sys.modules[request["module"]]
        if handle not in self.trainings:
            self.trainings[handle] = Training(self.objects[handle], request["settings"])
        given = [unpack(a, tensors, no_special, strided=True) for a in request["args"]]
        training = self.trainings[handle]
        does: dict[str, Callable[..., Any]] = {"steps": training.steps, "decode": training.decode}
        return Returned(does[request["do"]](module, request, *given), {})

    def reseed(self, number: int) -> None:
        """Seeds between construction and call, without taking our own seed for the learner's."""
        if torch.initial_seed() != self.before.values["torch seed"]:
            self.noticed.add("torch seed")
        seed(number)
        self.before.values["torch seed"] = torch.initial_seed()

    # -- calling --------------------------------------------------------------------------------

    def invoke(
        self,
        function: Callable[..., Any],
        request: dict[str, Any],
        tensors: dict[str, Tensor],
        owner: nn.Module | None = None,
    ) -> Returned:
        place = Placing.of(request)
        arguments = Arguments(request, tensors, place)
        wants_grad = request.get("cotangents") is not None
        leaves = arguments.leaves(owner) if wants_grad else {}
        recorder = None
        if request.get("trace") and self.finder:
            recorder = Recorder(self.finder.files, self.finder.file_of(self.module))
        self.recorder = recorder
        context: contextlib.AbstractContextManager[Any] = recorder or nullcontext()
        watch = self.one_device(arguments, owner) if request.get("elsewhere") else None
        context = watch or context
        held = place.holding(t for _, t in arguments.named())
        place.forget()
        alone = Alone() if request.get("alone") else None
        with (
            held,
            context,
            place.precision(),
            poisoned(request.get("poison", POISON)),
            alone or nullcontext(),
        ):
            value = arguments.passed_to(function, request)
        if alone is not None and alone.left_recording:
            self.noticed.add("grad mode")
        if watch is not None:
            watch.judge(value)
        if request.get("tap"):  # not what it returns is asked for, but what it gives to its callable
            value = arguments.given()
        notes: dict[str, Any] = {"changed": arguments.changed(), "calls": arguments.calls()}
        if alone is not None:
            notes["shares"] = arguments.shared_with(value)
            notes["overwritten"] = self.overwritten(value, function, request, tensors)
        if owner is not None and arguments.callables:
            notes["registered"] = any(
                module is wrapped for _, module in modules_of(owner) for _, wrapped in arguments.callables
            )
        if wants_grad:
            with held:
                found = self.gradients(value, request, tensors, leaves)
            notes["grads"] = place.gradients_back(found)
        if place.measure:
            notes["held"] = place.peak(held)
        if recorder is not None:
            notes["trace"] = recorder.events
        return Returned(place.back(value), notes)

    def overwritten(
        self, value: Any, function: Callable[..., Any], request: dict[str, Any], tensors: dict[str, Tensor]
    ) -> bool:
        """Whether another call, with the same numbers elsewhere, changes what this one has returned."""
        before = [(t, Memory(t)) for t in all_tensors(value)]
        others = {name: t.flip(tuple(range(t.dim()))) for name, t in tensors.items()}
        caught, said = len(self.caught), self.printed.so_far()
        with contextlib.suppress(BaseException), Alone(), poisoned(POISON):
            Arguments(request, others, watched=False).passed_to(function, request)
        leave_modes()
        del self.caught[caught:]  # what it says, this one has said before
        self.printed.back_to(said)
        return not all(memory.still(t) for t, memory in before)

    def one_device(self, arguments: Arguments, owner: nn.Module | None) -> OneDevice:
        """The arguments, and what a module would move along with itself, are on another device."""
        moved = [t for _, t in arguments.named()]
        moved += [t for c, _ in arguments.callables for t in c.settings.values() if isinstance(t, Tensor)]
        if arguments.model is not None:
            moved += [t for _, t in (*parameters_of(arguments.model), *buffers_of(arguments.model))]
        left = [t for t in vars(sys.modules[self.module]).values() if isinstance(t, Tensor)]
        if owner is not None:
            moved += [t for _, t in (*parameters_of(owner), *buffers_of(owner))]
            left += [t for _, part in modules_of(owner) for t in vars(part).values() if isinstance(t, Tensor)]
        return OneDevice(moved, left)

    def gradients(
        self, value: Any, request: dict[str, Any], tensors: dict[str, Tensor], leaves: dict[str, Tensor]
    ) -> dict[str, Any]:
        """The vector-Jacobian product with the given cotangents, one for each tensor of the value."""
        outputs = [t for t in all_tensors(value) if t.is_floating_point()]
        seeds = unpack(request["cotangents"], tensors, no_special, strided=True)
        asked = [(o, s) for o, s in zip(outputs, seeds) if s is not None]
        if len(asked) < sum(s is not None for s in seeds) or any(o.shape != s.shape for o, s in asked):
            return {"status": "mismatch", "of": {}}
        pairs = [(o, s) for o, s in asked if o.requires_grad]
        if not pairs or not leaves:
            return {"status": "detached", "of": {}}
        try:
            wide = torch.float32 if pairs[0][0].device.type == "mps" else torch.float64  # which has no wider
            total = torch.stack([(o * s.to(o)).sum().to(wide) for o, s in pairs]).sum()
            pull = _accumulated if self.recomputes else _pulled
            found = pull(total, list(leaves.values()))
        except RuntimeError as error:
            return {"status": "raised", "of": {}, "error": self.describe(error)}
        return {"status": "ok", "of": dict(zip(leaves, found))}

    def describe(self, error: BaseException) -> dict[str, Any]:
        """An exception as data."""
        return described_error(error, self.finder.files if self.finder else set())


def serve(sock: socket.socket, *, warm: bool = False) -> None:
    """Runs one worker on `sock` until the other side closes it; `warm`: there is time before it is asked."""
    gc.enable()
    gc.set_threshold(*GARBAGE)
    if warm:
        _warm(sock)
    same_on_every_run()
    Server(sock).run()


def _warm(sock: socket.socket) -> None:
    """Answers some requests of its own, which leave nothing behind.

    A fork gets its own copy of a page when it first writes to it, and that takes longer than a small call:
    what every request touches is copied by then.
    """
    chance = torch.default_generator.get_state()
    x = {"$": "tensor", "grad": False, "n": "0"}
    then = {"args": [x], "kwargs": {}, "train": False, "cotangents": {"$": "list", "v": [x]}}
    made = {"op": "construct", "module": "torch.nn", "name": "Linear", "args": [4, 4], "kwargs": {}}
    called = {"op": "call", "module": "torch.nn.functional", "name": "softmax", "args": [x, -1], "kwargs": {}}
    server = Server(sock)
    for request in (made | {"dtype": "float64", "then": then}, called) * 2:
        asked = json.loads(json.dumps(request))
        packer = Packer()
        reply = server.answer(asked, {"0": torch.ones(2, 4, dtype=torch.float64)}, packer)
        json.dumps(reply | {"printed": server.printed.take()})
        tensors_of(saved(packer.tensors))
    torch.default_generator.set_state(chance)


def _kind(module: types.ModuleType, name: str) -> Any:
    value = getattr(module, name, None)
    if value is None:
        return None
    if isinstance(value, type):
        return "module" if issubclass(value, nn.Module) else "class"
    return "function" if callable(value) else type(value).__name__[:60]


def _pulled(total: Tensor, leaves: Sequence[Tensor]) -> Sequence[Tensor | None]:
    return torch.autograd.grad(total, leaves, allow_unused=True)


def _accumulated(total: Tensor, leaves: Sequence[Tensor]) -> Sequence[Tensor | None]:
    """The gradients by `backward()`: what is checkpointed in PyTorch's older way refuses `autograd.grad`."""
    for leaf in leaves:
        leaf.grad = None
    total.backward()  # type: ignore[no-untyped-call]
    found = [leaf.grad for leaf in leaves]
    for leaf in leaves:
        leaf.grad = None
    return found
