"""A worker that answers at random, within the form that the wall lets through."""

from __future__ import annotations

import json
import random
from typing import Any

import torch
from safetensors import deserialize
from torch import Tensor

from grader.submission.asking import Asked
from grader.submission.observation import ErrorInfo, Event, Frame, Observation, Opaque, Outcome
from grader.submission.recalling import Recalling
from grader.submission.reply import Parts
from grader.worker.wire import DTYPES

__all__ = ["Liar"]

WORDS = ("weight", "bias", "W_q.weight", "pe", "embedding.weight", "0", "query", "mask", "param:weight", "x")
ERRORS = (
    "ValueError",
    "TypeError",
    "RuntimeError",
    "NotImplementedError",
    "AttributeError",
    "ForbiddenOperation",
)


class Liar(Recalling):
    """Starts no process.  What it answers depends on nothing but its seed."""

    seed = 0

    def load(self) -> Observation:
        if self.loaded is None:
            self.random = random.Random(f"{self.seed} {self.module}")
            names = {name: "module" if name[0].isupper() else "function" for name in self.expects}
            self.loaded = Observation(Outcome.OK, value=names)
        return self.loaded

    def close(self) -> None:
        return

    def _exchange(self, asked_of_it: Asked, seconds: float) -> Observation:
        r = self.random
        request = json.loads(asked_of_it.numbered("")[0])
        given = deserialize(asked_of_it.payload) if asked_of_it.payload else []
        self.sizes = [tuple(entry["shape"]) for _, entry in given] or [(2, 3)]
        if r.random() < 0.1:
            return Observation(r.choice([Outcome.RAISED, Outcome.OUT_OF_MEMORY]), error=self.any_error())
        value = self.any_made() if asked_of_it.parts is Parts.MADE else self.any_value()
        asked = request.get("then") or request
        return Observation(
            Outcome.OK,
            value=value,
            changed=tuple(r.sample(WORDS, r.randrange(3))),
            grads={r.choice(WORDS): r.choice([None, self.any_tensor()]) for _ in range(r.randrange(4))},
            gradient=r.choice([None, "ok", "detached", "raised", "mismatch"])
            if asked.get("cotangents")
            else None,
            gradient_error=self.any_error() if r.random() < 0.5 else None,
            calls=tuple(self.any_call() for _ in range(r.randrange(3))),
            registered=r.random() < 0.2,
            trace=tuple(self.any_event() for _ in range(r.randrange(5))) if asked.get("trace") else (),
            globals_changed=("torch seed",) if r.random() < 0.02 else (),
        )

    def any_tensor(self) -> Tensor:
        r = self.random
        sizes = list(r.choice(self.sizes))
        if r.random() < 0.4:
            sizes = [r.choice([0, 1, 2, 3, 4, 5, 7]) for _ in range(r.randrange(6))]
        elif sizes and r.random() < 0.3:
            sizes[-1] = r.choice([0, 1, 5, 7])
        dtype = r.choice([torch.float64, torch.float64, torch.float32, *DTYPES.values()])
        filling = r.choice([0.0, 1.0, -1.0, float("nan"), float("inf"), 1e300])
        if not dtype.is_floating_point:
            filling = r.choice([0, 1])
        return (
            torch.full(sizes, filling, dtype=torch.float64)
            .nan_to_num(0 if not dtype.is_floating_point else filling)
            .to(dtype)
        )

    def any_value(self, depth: int = 0) -> Any:
        r = self.random
        kind = r.randrange(9 if depth < 3 else 6)
        if kind in (0, 1, 2):
            return self.any_tensor()
        if kind == 3:
            return r.choice([None, True, 0, -1, 2**62, 1.5, float("nan"), "", "x" * 50])
        if kind == 4:
            return Opaque(r.choice(["generator", "coroutine", "object", "device cuda:0"]))
        if kind == 5:
            return (self.any_tensor(), self.any_tensor())
        parts = [self.any_value(depth + 1) for _ in range(r.randrange(4))]
        return parts if kind == 6 else tuple(parts) if kind == 7 else dict(zip(WORDS, parts))

    def any_made(self) -> dict[str, Any]:
        r = self.random
        if r.random() < 0.1:
            return {"module": False, "type": "list"}
        state = {
            name: {
                "shape": [r.choice([0, 1, 4, 6, 8, 2**39]) for _ in range(r.randrange(4))],
                "dtype": r.choice([*DTYPES, "complex64", ""]),
                "kind": r.choice(["parameter", "buffer"]),
                "trains": r.random() < 0.5,
            }
            for name in r.sample(WORDS, r.randrange(len(WORDS)))
        }
        found: dict[str, Any] = {
            "module": True,
            "handle": r.randrange(9),
            "state": state,
            "shared": [r.sample(WORDS, 2)] if r.random() < 0.3 else [],
            "plain": r.sample(WORDS, r.randrange(2)),
            "unset": r.sample(WORDS, r.randrange(3)),
        }
        if r.random() < 0.7:
            found["values"] = {name: self.any_tensor() for name in state}
        return found

    def any_call(self) -> dict[str, Any]:
        return {
            "times": self.random.randrange(3),
            "arguments": [self.any_tensor() for _ in range(self.random.randrange(3))],
        }

    def any_frame(self) -> Frame:
        name = self.random.choice([f"{self.module}.py", "attention.py", "/etc/passwd", ""])
        return Frame(name, self.random.choice([0, 1, 2**39]), "forward", (("x", (2, 0)),))

    def any_error(self) -> ErrorInfo:
        r = self.random
        kind = r.choice(ERRORS)
        message = r.choice(
            ["", "\n", "size mismatch", "x" * 4000, "forward() got an unexpected keyword argument"]
        )
        return ErrorInfo(
            kind, message, (kind, "Exception"), tuple(self.any_frame() for _ in range(r.randrange(3))), None
        )

    def any_event(self) -> Event:
        r = self.random
        value = r.choice([None, self.any_tensor()])
        return Event(f"{self.module}.py", r.choice([0, 3, 2**39]), "forward", "matmul", value, (1, 2))
