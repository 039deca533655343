"""Where a call is computed and in which precision: on a device, under autocast, a part of it sent back.

A device is opened by `start`, in a process of its own: what an accelerator's driver starts does not survive
a fork.  TF32 is off: it keeps 11 bits of a float32's 24.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.worker.holding import Holding
from grader.worker.wire import Malformed, dtype_of

__all__ = ["DEVICES", "SYSTEM", "Placing", "nodes", "start"]

DEVICES = ("cpu", "cuda", "mps")
# what the drivers of NVIDIA and AMD open; and what they read of the system
NODES = (
    "/dev/kfd",
    "/dev/dri",
    "/dev/nvidia-caps",
    "/dev/nvidiactl",
    "/dev/nvidia-uvm",
    "/dev/nvidia-uvm-tools",
)
SYSTEM = ("/proc", "/sys")
MANY = 64  # accelerators of one machine


def nodes() -> list[str]:
    """The nodes of accelerators on this machine."""
    return [p for p in (*NODES, *(f"/dev/nvidia{i}" for i in range(MANY))) if os.path.exists(p)]


def start(device: str) -> None:
    """Opens a device and computes something on it, so that what the driver loads is there.

    No gradient is taken here: it would start a thread that runs the learner's code later, and that thread
    would be outside of what this process is about to lock itself into.
    """
    if device not in DEVICES:
        raise ValueError(f"no device {device!r}")
    if device == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
    with torch.no_grad():
        one = torch.ones(16, 16, device=device)
        for dtype in (torch.float32, torch.bfloat16):
            torch.softmax(one.to(dtype) @ one.to(dtype), dim=-1).cpu()


@dataclass(frozen=True)
class Placing:
    """device: None for where the arguments are; autocast: the dtype; rows: which entries of the first axis
    are sent back, None for all; measure: whether memory is."""

    device: str | None = None
    autocast: torch.dtype | None = None
    rows: tuple[int, ...] | None = None
    measure: bool = False

    @classmethod
    def of(cls, request: dict[str, Any]) -> Placing:
        """What a request asks for."""
        device, rows = request.get("device"), request.get("rows")
        if device is not None and device not in DEVICES:
            raise Malformed(f"no device {device!r}")
        dtype = request.get("autocast")
        return cls(
            device,
            None if dtype is None else dtype_of(dtype),
            None if rows is None else tuple(int(r) for r in rows),
            bool(request.get("measure")),
        )

    @property
    def elsewhere(self) -> bool:
        return self.device not in (None, "cpu")

    @contextlib.contextmanager
    def precision(self) -> Iterator[None]:
        """Autocast, where it is asked for; all that was asked of a device is done at the end."""
        with contextlib.ExitStack() as stack:
            if self.autocast is not None:
                stack.enter_context(torch.autocast(self.device or "cpu", dtype=self.autocast))
            yield
        self.wait()

    def there(self, tensor: Tensor) -> Tensor:
        """The tensor on the device."""
        return tensor.to(self.device) if self.elsewhere else tensor

    def back(self, value: Any, rows: bool = True) -> Any:
        """What is sent back: on the CPU, the asked entries of the first axis."""
        if self.rows is None and not self.elsewhere:
            return value
        if isinstance(value, Tensor):
            chosen = rows and self.rows is not None and value.dim() > 1 and max(self.rows) < len(value)
            part = value[list(self.rows or ())] if chosen else value
            return part.cpu() if self.elsewhere else part
        if isinstance(value, (list, tuple)):
            return tuple(self.back(item, rows) for item in value)
        return {k: self.back(v, rows) for k, v in value.items()} if isinstance(value, dict) else value

    def gradients_back(self, notes: dict[str, Any]) -> dict[str, Any]:
        """Gradients are sent back like results; those of parameters whole."""
        found = notes.get("of", {})
        return {**notes, "of": {k: self.back(g, not k.startswith("param:")) for k, g in found.items()}}

    def forget(self) -> None:
        """Memory is measured from here on."""
        if self.measure and self.device == "cuda":
            torch.cuda.synchronize()
            torch.cuda.reset_peak_memory_stats()

    def holding(self, given: Iterable[Tensor]) -> contextlib.AbstractContextManager[Any]:
        """What counts where the device does not."""
        return Holding(given) if self.measure and self.device != "cuda" else contextlib.nullcontext()

    def peak(self, held: Any) -> int:
        """The most bytes that tensors took at once since then."""
        return held.close() if isinstance(held, Holding) else torch.cuda.max_memory_allocated()

    def wait(self) -> None:
        if self.device == "cuda":
            torch.cuda.synchronize()
        elif self.device == "mps":
            torch.mps.synchronize()
