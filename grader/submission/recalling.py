"""A client that remembers what calls gave, so that the same is not asked of the same worker again.

An exercise may be marked twice, by its own model and on top of the learner's earlier parts, and then be
diagnosed: most requests are the same.  Only whole calls are remembered, which leave no object behind in
the worker; and of a call that was made several times every answer, since a check may want to see that they
differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from grader.submission.asking import Asked
from grader.submission.client import Client
from grader.submission.observation import Observation, Outcome

__all__ = ["Recalling", "Turn"]

MOST = 12 << 20  # bytes of answers that are kept
OVERHEAD = 2000  # bytes of an answer beside its tensors
CALL, CONSTRUCT, THEN = b'{"op":"call",', b'{"op":"construct",', b'"then":{'

_Key = tuple[bytes, bytes, str]


@dataclass
class Turn:
    """One marking of a module: its own account of time, stops and printed words.

    asked: how often each remembered call was asked in it.
    """

    account: dict[str, Any]
    asked: dict[_Key, int] = field(default_factory=lambda: defaultdict(int))


class Recalling(Client):
    """A client whose module can be marked several times in one worker."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._answers: dict[_Key, list[Observation]] = {}
        self._left = MOST
        self._turn: Turn | None = None
        self._any = False

    def turn(self) -> Turn:
        """A new turn, as if the module had just been loaded; used by `taking`."""
        loaded = self.loaded
        printed = loaded.printed[: self.budget.output] if loaded is not None else ""
        return Turn(
            {
                "stops": 0,
                "spent": 0.0,
                "printed": [printed] if printed else [],
                "stopped_by": None,
                "hurried": self.hurried,
                "globals_changed": set(loaded.globals_changed) if loaded is not None else set(),
                "_kept": len(printed),
            }
        )

    @contextmanager
    def taking(self, turn: Turn) -> Iterator[None]:
        """Asks on the account of a turn: what was asked before is answered as it was, call by call."""
        before, own = self._turn, {name: getattr(self, name) for name in turn.account}
        vars(self).update(turn.account)
        self._turn = turn
        try:
            yield
        finally:
            turn.account = {name: getattr(self, name) for name in turn.account}
            vars(self).update(own)
            self._turn = before

    @contextmanager
    def recalling(self) -> Iterator[None]:
        """Answers what was asked before with the first answer, as a diagnosis may: it looks at what the
        checks have seen."""
        before, self._any = self._any, True
        try:
            yield
        finally:
            self._any = before

    def ask(self, asked: Callable[[], Asked]) -> Observation:
        """The same, from memory where that may be."""
        if self.exhausted or (not self._any and self._turn is None):
            return self._asked_anew(asked, None)
        loaded = self.load()
        if not loaded.ok:
            return loaded
        request = asked()
        key = _key(request)
        seen = None if key is None else self._remembered(key)
        if seen is None:
            return self._asked_anew(lambda: request, key)
        self._keep(seen.printed)
        self.globals_changed |= set(seen.globals_changed)
        return seen

    def _remembered(self, key: _Key) -> Observation | None:
        answers = self._answers.get(key, ())
        if self._turn is None or self._any:
            return answers[0] if answers else None
        number = self._turn.asked[key]
        self._turn.asked[key] += 1
        return answers[number] if number < len(answers) else None

    def _asked_anew(self, asked: Callable[[], Asked], key: _Key | None) -> Observation:
        requests: list[Asked] = []

        def request() -> Asked:
            requests.append(asked())
            return requests[0]

        seen = super().ask(request)
        if requests and seen.outcome in (Outcome.OK, Outcome.RAISED):
            key = key or _key(requests[0])
            size = _size(seen)
            if key is not None and size <= self._left:
                self._left -= size
                self._answers.setdefault(key, []).append(seen)
        return seen


def _key(asked: Asked) -> _Key | None:
    """What a request is remembered by; None where it makes an object, or needs one."""
    head = asked.head
    if head.startswith(CALL) or (head.startswith(CONSTRUCT) and THEN in head):
        return head, asked.payload, asked.state.key if asked.state is not None else ""
    return None


def _size(seen: Observation) -> int:
    tensors = [*_tensors(seen.value), *(t for t in seen.grads.values() if t is not None)]
    tensors += [e.value for e in seen.trace if e.value is not None]
    return sum(t.numel() * t.element_size() for t in tensors) + OVERHEAD * (1 + len(seen.trace))


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)
