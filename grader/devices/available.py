"""Which devices there are."""

from __future__ import annotations

import os

from grader.text import Text

__all__ = ["DEVICES", "missing"]

DEVICES = ("cpu", "cuda", "mps")


def missing(device: str) -> Text | None:
    """Why nothing can be computed on this device here, in one sentence; imports torch."""
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")  # looking must not open the driver
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        return Text(
            f"--device cuda: this PyTorch ({torch.__version__}) finds no CUDA device on this machine",
            f"--device cuda：本机的 PyTorch（{torch.__version__}）没有找到 CUDA 设备",
        )
    if device == "mps" and not torch.backends.mps.is_available():
        return Text(
            f"--device mps: this PyTorch ({torch.__version__}) finds no MPS device on this machine",
            f"--device mps：本机的 PyTorch（{torch.__version__}）没有找到 MPS 设备",
        )
    return None
