"""Global settings of the process that a call may leave changed: noticed, and put back."""

from __future__ import annotations

import random
import sys
from typing import Any

import torch

__all__ = ["Settings", "leave_modes", "seed"]

_function_modes = torch._C._len_torch_function_stack
_dispatch_modes = torch._C._len_torch_dispatch_stack
_pop_function_mode = torch._C._pop_torch_function_stack
_pop_dispatch_mode = torch._C._pop_torch_dispatch_stack


def seed(number: int) -> None:
    """Seeds the CPU's generator.  `torch.manual_seed` also prepares every accelerator, at 0.4 ms."""
    torch.default_generator.manual_seed(number)


def leave_modes(functions: int = 0, dispatch: int = 0) -> None:
    """Leaves the modes (`TorchFunctionMode` and its like) above these heights of their stacks.

    A mode that a submission entered and never left would see, and answer, what we do with torch.
    """
    while _function_modes() > functions:
        _pop_function_mode()
    while _dispatch_modes() > dispatch:
        _pop_dispatch_mode(None)


class Settings:
    """The settings as they are now, by the names that a report uses."""

    def __init__(self) -> None:
        self.values = _values()
        self.recursion = sys.getrecursionlimit()

    def changed(self) -> bool:
        """Whether anything is not what it was."""
        return sys.getrecursionlimit() != self.recursion or _values() != self.values

    def restore(self) -> list[str]:
        """Puts everything back; the names of what was changed."""
        leave_modes()
        if sys.getrecursionlimit() != self.recursion:
            sys.setrecursionlimit(self.recursion)
        after, before = _values(), self.values
        changed = [name for name, value in before.items() if after[name] != value]
        torch.set_grad_enabled(before["grad mode"])
        torch.set_default_dtype(before["default dtype"])
        if after["thread count"] != before["thread count"]:
            torch.set_num_threads(before["thread count"])
        if "deterministic algorithms" in changed:
            torch.use_deterministic_algorithms(before["deterministic algorithms"])
        return changed


def _values() -> dict[str, Any]:
    return {
        "grad mode": torch.is_grad_enabled(),
        "default dtype": torch.get_default_dtype(),
        "thread count": torch.get_num_threads(),
        "deterministic algorithms": torch.are_deterministic_algorithms_enabled(),
        "torch seed": torch.initial_seed(),
        "python random state": random.getstate()[1],
    }
