"""Attention and multi-head attention of the solutions on a device, against float64 on the CPU."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from grader.exercises.numerics import Size
from grader.marking.precision import Rounding, units_off
from tests.support import ROOT

__all__ = ["far_from_exact"]


@contextlib.contextmanager
def _solutions() -> Iterator[tuple[Any, Any]]:
    """The modules, under names that are free again afterwards."""
    names = ("attention", "multi_head_attention")
    sys.path.insert(0, str(ROOT / "solutions"))
    try:
        yield tuple(importlib.import_module(name) for name in names)  # type: ignore[misc]
    finally:
        sys.path.remove(str(ROOT / "solutions"))
        for name in names:
            sys.modules.pop(name, None)


def far_from_exact(
    device: str, size: Size, wrap: Callable[[Any], Any], *, autocast: bool = False
) -> list[tuple[str, float]]:
    """What is further off than rounding explains: outputs and gradients of the last sequence."""
    g = torch.Generator().manual_seed(7)
    S, width = size.S, size.H * size.d_k
    x = torch.randn(size.B, S, width, generator=g)
    mask = torch.ones(S, S, dtype=torch.bool).tril()
    seed = torch.randn(1, S, width, generator=g)
    with _solutions() as (_, heads):
        torch.manual_seed(3)
        module = heads.MultiHeadAttention(width, size.H)
        exact = heads.MultiHeadAttention(width, size.H).double()
        exact.load_state_dict({k: v.double() for k, v in module.state_dict().items()})
        module.to(device)
        wide = x[-1:].double().requires_grad_(True)
        wanted = exact(wide, wide, wide, mask)[0]
        wanted.backward(seed.double())
        given = x.to(device).requires_grad_(True)
        with torch.autocast(device, torch.bfloat16, enabled=autocast):
            found = wrap(module)(given, given, given, mask.to(device))[0]
        found[-1:].backward(seed.to(found))
    dtype = torch.bfloat16 if autocast else torch.float32
    rounding = Rounding(dtype, 64 if autocast else S, 16.0)
    pairs: list[tuple[str, Tensor | None, Tensor | None]] = [
        ("output", found[-1:].detach(), wanted.detach()),
        ("grad(x)", None if given.grad is None else given.grad[-1:], wide.grad),
    ]
    pairs += [(n, p.grad, dict(exact.named_parameters())[n].grad) for n, p in module.named_parameters()]
    off = []
    for name, have, want in pairs:
        assert have is not None
        assert want is not None
        scale = max(1.0, float(want.abs().max()))
        units = units_off(have.cpu().double() / scale, want / scale, dtype)
        if units > rounding.allowed * (1.0 if name == "output" else 4.0):
            off.append((name, units))
    return off
