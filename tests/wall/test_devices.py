"""A call that is made to believe that its tensors are on another device: what is refused, and what is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from grader.worker.devices import DeviceMismatch, OneDevice

TABLE = torch.ones(9, 4)
Case = Callable[[Tensor, Tensor], Any]

RIGHT: dict[str, Case] = {
    "a scalar may be anywhere": lambda x, m: x / torch.sqrt(torch.tensor(4.0)),
    "a zero-dimensional fill": lambda x, m: torch.where(m, x, torch.tensor(-1.0)),
    "zeros_like": lambda x, m: x + torch.zeros_like(x),
    "new_full": lambda x, m: x + x.new_full((3, 4), 2.0),
    "the device of the input": lambda x, m: x + torch.ones(4, device=x.device),
    "moved to a device": lambda x, m: x + torch.ones(4).to(x.device),
    "moved by keyword": lambda x, m: x + torch.ones(4).to(device=x.device, dtype=x.dtype),
    "moved to where a tensor is": lambda x, m: x + torch.ones(4).to(x),
    "indices from the CPU": lambda x, m: x[:, torch.arange(2)],
    "the string of the device": lambda x, m: x + torch.zeros(4, device=str(x.device)),
    "compared devices": lambda x, m: x.masked_fill(m if m.device == x.device else m.to(x.device), 0.0),
    "values are looked at": lambda x, m: x * 2 if bool(m.any()) and x.sum().item() > -100 else x,
    "cast to its type": lambda x, m: x + torch.ones(4).double().type_as(x),
    "there and back": lambda x, m: x + (x.cpu() * 2).to(x.device),
    "copied there": lambda x, m: x.clone().copy_(torch.ones(3, 4)),
    "a list of its rows": lambda x, m: torch.stack([row * 2 for row in x]),
    "built on the CPU, then moved": lambda x, m: torch.ones(3, 4).tril().to(x.device) * x,
    "nothing but an index": lambda x, m: x.argmax(-1),
}  # fmt: skip
WRONG: dict[str, Case] = {
    "ones": lambda x, m: x + torch.ones(4),
    "a mask": lambda x, m: x.masked_fill(torch.ones(3, 4, dtype=torch.bool).triu(), 0.0),
    "full": lambda x, m: torch.where(m, x, torch.full((3, 4), -1.0)),
    "the CPU by name": lambda x, m: x + torch.zeros(4, device="cpu"),
    "sent to the CPU": lambda x, m: x.cpu() + x,
    "one entry is no scalar": lambda x, m: x * torch.tensor([2.0]),
    "a matrix": lambda x, m: x @ torch.ones(4, 2),
    "einsum": lambda x, m: torch.einsum("ij,kj->ik", x, torch.ones(5, 4)),
    "cat": lambda x, m: torch.cat([x, torch.zeros(1, 4)]),
    "added in place": lambda x, m: torch.zeros(3, 4).add_(x),
    "an augmented sum": lambda x, m: _accumulated(x),
    "ids of an embedding": lambda x, m: nn.functional.embedding(torch.arange(2), x),
    "the result": lambda x, m: torch.ones(3, 4),
    "one of two results": lambda x, m: (x, torch.ones(3, 4)),
}  # fmt: skip


def _accumulated(x: Tensor) -> Tensor:
    total = torch.zeros(3, 4)
    for _ in range(2):
        total += x
    return total


def watched(case: Case) -> Any:
    x, m = torch.arange(12.0).view(3, 4), torch.ones(3, 4, dtype=torch.bool)
    watch = OneDevice([x, m], [TABLE])
    with watch:
        value = case(x, m)
    watch.judge(value)
    return value


@pytest.mark.parametrize("case", RIGHT.values(), ids=RIGHT)
def test_what_an_accelerator_takes_passes(case: Case) -> None:
    x, m = torch.arange(12.0).view(3, 4), torch.ones(3, 4, dtype=torch.bool)
    assert torch.equal(watched(case), case(x, m))


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG)
def test_what_it_refuses_raises(case: Case) -> None:
    with pytest.raises(DeviceMismatch):
        watched(case)


def test_a_tensor_of_unknown_origin_is_held_against_nobody() -> None:
    unknown = torch.ones(4)
    assert torch.equal(watched(lambda x, m: x + unknown), torch.arange(12.0).view(3, 4) + 1)


def test_a_known_plain_tensor_stays_behind() -> None:
    with pytest.raises(DeviceMismatch):
        watched(lambda x, m: x + TABLE[:3])


def test_a_module_moves_its_parameters_and_buffers() -> None:
    layer = nn.Linear(4, 4)
    x = torch.ones(3, 4)
    watch = OneDevice([x, *layer.parameters()], [])
    with watch:
        value = layer(x)
    watch.judge(value)
    assert torch.equal(value, layer(x))
