"""Counts the bytes that a call keeps alive at once.

What every operation makes is looked at once: the storage it lies in is remembered by a weak reference, so
that looking keeps nothing alive.  The most that is still there after an operation is what the call needs
beside its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

__all__ = ["Holding"]

_storages: Any = torch.UntypedStorage
_expired, _forget = _storages._expired, _storages._free_weak_ref
_storage = Tensor.untyped_storage


class Holding(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """While active, follows what is made.  bytes: the most that was alive at once; `given` does not count."""

    def __init__(self, given: Iterable[Tensor]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.bytes = 0
        self._now = 0
        self._given = {_storage(t)._cdata for t in given}
        self._alive: dict[int, tuple[int, int]] = {}  # by address: a weak reference, and how many bytes

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """No: skipping means to import the compiler first, which a worker may not and need not."""
        return False

    def __torch_dispatch__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, (list, tuple)) else (result,):
            if isinstance(tensor, Tensor):
                self._see(tensor)
        self._let_go()
        self.bytes = max(self.bytes, self._now)
        return result

    def close(self) -> int:
        """Gives the references back; how many bytes were counted."""
        for reference, _ in self._alive.values():
            _forget(reference)
        self._alive.clear()
        return self.bytes

    def _see(self, tensor: Tensor) -> None:
        storage: Any = _storage(tensor)
        address = storage._cdata
        if address not in self._alive and address not in self._given:
            size = storage.nbytes()
            # while there is a weak reference, no other storage gets this address
            self._alive[address] = storage._weak_ref(), size
            self._now += size

    def _let_go(self) -> None:
        for address, (reference, size) in list(self._alive.items()):
            if _expired(reference):
                _forget(reference)
                del self._alive[address]
                self._now -= size
