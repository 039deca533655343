"""A call for its result alone: gradients are not recorded."""

from __future__ import annotations

import torch

__all__ = ["Alone"]

_recording, _record = torch.is_grad_enabled, torch._C._set_grad_enabled


class Alone:
    """`torch.no_grad()` that also notices when somebody within has switched recording on and left it so."""

    left_recording = False

    def __enter__(self) -> None:
        self.before = _recording()
        _record(False)

    def __exit__(self, *error: object) -> None:
        self.left_recording = _recording()
        _record(self.before)
