"""A module is converted as `Module.to` does it, whatever it is made of."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from grader.worker.looking import converted, state_of


class Mixed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Dropout(0.5))
        self.shared = self.inner[0]
        self.again = self.inner[0].weight
        self.register_buffer("table", torch.arange(6.0).view(2, 3))
        self.register_buffer("passing", torch.ones(2), persistent=False)
        self.register_buffer("ids", torch.arange(3))
        self.plain = torch.ones(2)


class Stubborn(Mixed):
    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        return self


class Turning(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("turn", torch.polar(torch.ones(3), torch.arange(3.0)))


class Odd(Tensor):
    pass


class Subclassed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3).as_subclass(Odd))


class Waiting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.later = nn.LazyLinear(4)


@pytest.mark.filterwarnings("ignore")  # complex numbers lose their imaginary parts; lazy modules are new
@pytest.mark.parametrize("kind", [Mixed, Stubborn, Turning, Subclassed, Waiting])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_the_same_as_to(kind: type[nn.Module], dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    wanted = kind().to(dtype)
    torch.manual_seed(0)
    found = converted(kind(), dtype)
    for one, other in ((found._parameters, wanted._parameters), (found._buffers, wanted._buffers)):
        assert {k: v.dtype for k, v in one.items() if v is not None} == {
            k: v.dtype for k, v in other.items() if v is not None
        }
    a, b = state_of(found), state_of(wanted)
    assert list(a) == list(b)
    for name in a:
        assert type(a[name]) is type(b[name])
        assert a[name].dtype is b[name].dtype
        if kind is not Waiting:
            assert torch.equal(a[name], b[name])


def test_what_is_shared_stays_shared() -> None:
    made = converted(Mixed(), torch.float64)
    assert made.again is made.inner[0].weight  # type: ignore[index]
    assert made.plain.dtype is torch.float32
    assert made.passing.dtype is torch.float64
