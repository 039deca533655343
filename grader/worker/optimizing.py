"""What the optimizers of the worker have in common.

They are `torch.optim.Optimizer`s that skip the constructor of that class, which imports torch's compiler:
a second or two, and files that a worker may not read.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

__all__ = ["Bare"]

HOOKS = (
    "step_pre",
    "step_post",
    "state_dict_pre",
    "state_dict_post",
    "load_state_dict_pre",
    "load_state_dict_post",
)


class Bare(torch.optim.Optimizer):
    """Groups of parameters, with their gradients to clear; the step is the subclass's."""

    def __init__(self, parameters: Iterable[Tensor], **defaults: Any) -> None:
        self.defaults = defaults
        self.state = defaultdict(dict)
        self.param_groups = []
        for name in HOOKS:
            setattr(self, f"_optimizer_{name}_hooks", OrderedDict())
        self.add_param_group({"params": parameters})

    def add_param_group(self, group: dict[str, Any]) -> None:
        """Takes further parameters."""
        self.param_groups.append({**self.defaults, **group, "params": list(group["params"])})

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clears the gradients."""
        for parameter in self.parameters():
            if set_to_none or parameter.grad is None:
                parameter.grad = None
            else:
                parameter.grad = torch.zeros_like(parameter.grad)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step; with a closure that computes the loss, its value."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        with torch.no_grad():
            self.move()
        return loss

    def move(self) -> None:
        """Changes the parameters."""
        raise NotImplementedError

    def parameters(self) -> list[Tensor]:
        """Those of all groups."""
        return [p for group in self.param_groups for p in group["params"]]
