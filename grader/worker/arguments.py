"""The arguments of one call: unpacked, and looked at again when the call is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from grader.worker.callables import Counted, make
from grader.worker.looking import Memory, parameters_of
from grader.worker.placing import Placing
from grader.worker.settings import leave_modes
from grader.worker.toys import Series, ToyModel, make_model, make_optimizer, taught
from grader.worker.wire import Malformed, unpack

__all__ = ["Arguments", "all_tensors", "given_state", "no_special"]

HERE = Placing()


class Arguments:
    """The arguments of one call: unpacked, with copies to see what was changed in place."""

    def __init__(
        self,
        request: dict[str, Any],
        tensors: dict[str, Tensor],
        place: Placing = HERE,
        *,
        watched: bool = True,
    ) -> None:
        if place.elsewhere:  # what is looked at there would have to be brought back
            tensors, watched = {name: place.there(t) for name, t in tensors.items()}, False
        self.callables: list[tuple[Counted, Any]] = []
        self.model: ToyModel | None = None
        self._tensors = tensors
        self.args = [unpack(a, tensors, self._special, strided=True) for a in request.get("args", [])]
        self.kwargs = {
            k: unpack(a, tensors, self._special, strided=True) for k, a in request.get("kwargs", {}).items()
        }
        self._given = [(name, t, Memory(t)) for name, t in self.named()] if watched else []

    def passed_to(self, function: Callable[..., Any], request: dict[str, Any]) -> Any:
        """What the function returns; with `rounds`, what a lesson with a stand-in model gives."""
        if request.get("rounds") is None:
            return function(*self.args, **self.kwargs)
        return taught(function, self.args, self.kwargs, int(request["rounds"]), request.get("looks", []))

    def _special(self, tree: dict[str, Any]) -> Any:
        tag = tree.get("$")
        if tag == "callable":
            settings = {
                k: unpack(v, self._tensors, self._special, strided=True) for k, v in tree["with"].items()
            }
            counted, passed = make(tree["name"], settings, bool(tree.get("module")))
            self.callables.append((counted, passed))
            return passed
        if tag == "device":
            return torch.device(tree["v"])
        if tag == "each":
            return Series([unpack(v, self._tensors, no_special, strided=True) for v in tree["v"]])
        if tag in ("model", "optimizer"):
            settings = {
                k: unpack(v, self._tensors, no_special, strided=True) for k, v in tree["with"].items()
            }
            if tag == "optimizer":
                return make_optimizer(self.model, settings)
            self.model = make_model(settings, bool(tree.get("train")))
            return self.model
        raise Malformed(f"unknown tag {tag!r}")

    def named(self) -> Iterator[tuple[str, Tensor]]:
        for name, value in (*((str(n), a) for n, a in enumerate(self.args)), *self.kwargs.items()):
            for item in value.items if isinstance(value, Series) else (value,):
                if isinstance(item, Tensor):
                    yield name, item

    def leaves(self, owner: nn.Module | None) -> dict[str, Tensor]:
        """Makes the floating-point arguments require gradients; adds the owner's parameters."""
        leaves: dict[str, Tensor] = {}
        for name, tensor in self.named():
            if tensor.is_floating_point():
                tensor.requires_grad_(True)
                leaves[name] = tensor
        for number, (counted, _) in enumerate(self.callables):
            value = counted.settings.get("value")
            if isinstance(value, Tensor) and value.is_floating_point():
                leaves[f"callable:{number}"] = value.requires_grad_(True)
        if owner is not None:
            leaves |= {f"param:{n}": p for n, p in _unique(parameters_of(owner)) if p.requires_grad}
        return leaves

    def changed(self) -> list[str]:
        """Names of arguments whose layout or memory is no longer what it was."""
        leave_modes()
        return list(dict.fromkeys(name for name, t, before in self._given if not before.still(t)))

    def shared_with(self, value: Any) -> list[str]:
        """Names of arguments whose memory a result lies in."""
        places = {t.untyped_storage().data_ptr() for t in all_tensors(value) if t.numel()}
        named = [name for name, t in self.named() if t.untyped_storage().data_ptr() in places]
        return list(dict.fromkeys(named))

    def given(self) -> Any:
        """The first tensor that the first callable was called with; None where there is none."""
        calls = self.callables[0][0].calls if self.callables else []
        return next((a for a in calls[0] if isinstance(a, Tensor)), None) if calls else None

    def calls(self) -> list[Any]:
        return [
            {"times": len(c.calls), "arguments": [a for a in c.calls[0] if isinstance(a, Tensor)][:2]}
            if c.calls
            else {"times": 0, "arguments": []}
            for c, _ in self.callables
        ]


def given_state(request: dict[str, Any], tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The entries of a state that a request gives."""
    state = request.get("state")
    if state is None:
        return {}
    given: dict[str, Tensor] = unpack(state, tensors, no_special, strided=True) if "$" in state else state
    return given


def all_tensors(value: Any) -> Iterator[Tensor]:
    """The tensors in a value, in their order."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from all_tensors(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from all_tensors(item)


def no_special(tree: dict[str, Any]) -> Any:
    """Where only tensors and plain values may be."""
    raise Malformed(f"unexpected {tree.get('$')!r}")


def _unique(named: Iterator[tuple[str, Tensor]]) -> Iterator[tuple[str, Tensor]]:
    """Each tensor once, under its first name."""
    seen: set[int] = set()
    for name, tensor in named:
        if id(tensor) not in seen:
            seen.add(id(tensor))
            yield name, tensor
