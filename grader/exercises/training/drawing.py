"""Tokens, logits, stand-in models, and the calls that are made with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.exercises.training.decoding import decode, open_positions
from grader.submission.asking import Each, ToyModel, ToyOptimizer
from grader.text import Text

__all__ = [
    "AFTER",
    "DECODED",
    "ORDERS",
    "costing",
    "decoding",
    "logits",
    "looking",
    "stepping",
    "targeting",
    "tokens",
    "toy",
    "wanted",
]

AFTER = ("embedding", "output", "bias", "graph")  # what is looked at after training steps
ORDERS = (*AFTER[:3], "reworked", "steps", "mode")  # what tells orders apart that come to the same
DECODED = ("mode", "built")
STEPS = 7e7  # the same of steps in float64, where probabilities may be small
GENTLE = 25_000.0  # a floor of 1e-9 under a probability is no mistake where probabilities are large


def tokens(seed: int, B: int, S: int, *, V: int = 9, pad_id: int = 0, share: float = 0.25) -> Tensor:
    """Token ids (B, S) below V, with padding before, between and after real tokens."""
    g = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, V, (B, S), generator=g)
    ids = torch.where(ids == pad_id, (pad_id + 1) % V, ids)  # what is padding is decided next
    return torch.where(torch.rand(B, S, generator=g) < share, pad_id, ids)


def wanted(
    seed: int, B: int, S: int, *, V: int, ignore_index: int = -100, counts: Sequence[int] | None = None
) -> Tensor:
    """Targets (B, S) below V of which each row counts another number: `counts`, or some."""
    g = torch.Generator().manual_seed(seed)
    found = torch.randint(0, V, (B, S), generator=g)
    if 0 <= ignore_index < V:
        found = torch.where(found == ignore_index, (ignore_index + 1) % V, found)
    for row in range(B):
        many = counts[row] if counts is not None else 1 + (seed + 2 * row) % S
        found[row, torch.randperm(S, generator=g)[many:]] = ignore_index
    return found


def logits(seed: int, *shape: int, dtype: torch.dtype = torch.float32, spread: float = 2.0) -> Tensor:
    """Normally distributed logits (B, S, V)."""
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(*shape, generator=g, dtype=torch.float64) * spread).to(dtype)


def toy(
    seed: int,
    *,
    V: int = 7,
    d: int = 5,
    mix: float = 0.5,
    lean: float = 0.0,
    train: bool = False,
    looks: tuple[str, ...] = AFTER,
    stale: float = 0.0,
    nudge: float = 0.0,
    frozen: float = 0.0,
    dtype: torch.dtype = torch.float64,
    spread: float = 1.0,
) -> ToyModel:
    """A model whose features are dropped, halved or doubled in training."""
    g = torch.Generator().manual_seed(seed)
    draw = {"embedding": (V, d), "output": (V, d), "bias": (V,)}
    settings: dict[str, Any] = {
        name: (torch.randn(*size, generator=g, dtype=torch.float64) * spread).to(dtype)
        for name, size in draw.items()
    }
    factors = torch.tensor([0.0, 2.0, 0.5, 2.0, 0.0, 1.0, 2.0, 0.0])
    settings["keep"] = factors[torch.randperm(8, generator=g)[:d]].to(dtype) if d <= 8 else torch.ones(d)
    numbers = {"mix": mix, "lean": lean, "stale": stale, "nudge": nudge, "frozen": frozen}
    settings |= {name: number for name, number in numbers.items() if number}
    return ToyModel(settings, train, looks)


# -- calls ------------------------------------------------------------------------------------------


def targeting(name: str, en: str, zh: str, ids: Tensor, *more: Any, **kwargs: Any) -> Probe:
    """A call of `next_token_targets`."""
    return Probe(name, "next_token_targets", Text(en, zh), (ids, *more), kwargs)


def costing(
    name: str,
    en: str,
    zh: str,
    given: Tensor,
    targets: Tensor,
    *more: Any,
    grad: bool = False,
    tier: str = "core",
    condition: float = 20.0,
    **kwargs: Any,
) -> Probe:
    """A call of `sequence_loss`."""
    return Probe(
        name,
        "sequence_loss",
        Text(en, zh),
        (given, targets, *more),
        kwargs,
        grad=grad,
        tier=tier,
        condition=condition,
    )


def stepping(
    name: str,
    en: str,
    zh: str,
    model: ToyModel,
    rounds: Sequence[tuple[Tensor, Tensor]],
    *more: Any,
    lr: float = 0.25,
    momentum: float = 0.5,
    tier: str = "core",
    **kwargs: Any,
) -> Probe:
    """Calls of `train_step`, one after the other with the same model and optimizer."""
    ids, targets = (Each(tuple(pair[i] for pair in rounds)) for i in (0, 1))
    if len(rounds) == 1:
        ids, targets = rounds[0]  # type: ignore[assignment]
    dtype = "float64" if model.settings["embedding"].dtype is torch.float64 else "float32"
    args = (model, ToyOptimizer(lr, momentum), ids, targets, *more)
    condition = STEPS if dtype == "float64" else 500.0
    return Probe(name, "train_step", Text(en, zh), args, kwargs, dtype=dtype, tier=tier, condition=condition)


def looking(probe: Probe, *looks: str) -> Probe:
    """The same calls with other looks at the model afterwards."""
    model, *rest = probe.args or ()
    return probe.but(args=(ToyModel(model.settings, model.train, looks), *rest))


def decoding(
    name: str,
    en: str,
    zh: str,
    model: ToyModel,
    prompt: Tensor,
    most: int,
    *more: Any,
    tier: str = "core",
    **kwargs: Any,
) -> Probe:
    """A call of `greedy_decode`, compared where nothing is left open."""
    probe = Probe(
        name,
        "greedy_decode",
        Text(en, zh),
        (model, prompt, most, *more),
        kwargs,
        dtype="float64",
        tier=tier,
    )
    found = decode.run(probe).result[0]
    end = more[0] if more else kwargs.get("eos_id")
    return probe.but(where=open_positions(found, prompt.shape[1], end))
