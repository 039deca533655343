"""Stand-ins for a model and its optimizer, and the lessons that a suite gives with them.

A small closed set: one language model whose parameters the trusted side draws, and descent with
momentum.  What they are asked shows in numbers wherever it can (training mode scales the features,
earlier tokens add to later ones, gradients that were not cleared add to new ones), so that what a
submission did to them is judged by values.  The flags that are reported besides are claims.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from grader.worker.optimizing import Bare
from grader.worker.wire import Malformed

__all__ = [
    "LOOKS",
    "MAX_ROUNDS",
    "PARAMETERS",
    "Series",
    "ToyDropout",
    "ToyModel",
    "ToyOptimizer",
    "make_model",
    "make_optimizer",
    "taught",
]

PARAMETERS = ("embedding", "output", "bias")
LOOKS = (*PARAMETERS, "graph", "built", "mode", "reworked", "steps")  # what a lesson may be asked to look at
MAX_ROUNDS = 64


class Series:
    """An argument that is another one in each round of a lesson."""

    def __init__(self, items: Sequence[Any]) -> None:
        self.items = list(items)


class _Alive:
    """Lives as long as the graph of one forward pass."""


class ToyDropout(nn.Module):
    """A dropout that needs no chance: in training, each feature is multiplied by a number of its own."""

    def __init__(self, keep: Tensor) -> None:
        super().__init__()
        self.register_buffer("keep", keep.clone(), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        return x * self.get_buffer("keep") if self.training else x


class ToyModel(nn.Module):
    """Token ids (B, S) to logits (B, S, V): the features of a token, and a share of all earlier ones."""

    def __init__(
        self,
        embedding: Tensor,
        output: Tensor,
        bias: Tensor,
        keep: Tensor,
        mix: float,
        lean: float = 0.0,
        nudge: float = 0.0,
        frozen: float = 0.0,
    ) -> None:
        """`mix`: the share of earlier tokens; `lean`: that of all of them; `nudge`: what each forward pass
        adds to every gradient, which tells what comes before it and what before the backward pass; `frozen`:
        when not 0, there is a parameter more, which is not trained and takes no part."""
        super().__init__()
        self.embedding = nn.Parameter(embedding.clone())  # (V, d)
        self.output = nn.Parameter(output.clone())  # (V, d)
        self.bias = nn.Parameter(bias.clone())  # (V,)
        self.dropout = ToyDropout(keep)
        self.mix = float(mix)
        self.lean = float(lean)
        self.nudge = float(nudge)
        if frozen:
            self.frozen = nn.Parameter(bias.clone(), requires_grad=False)
        self.graphs: list[weakref.ref[_Alive]] = []
        self.built = False

    def forward(self, token_ids: Tensor) -> Tensor:
        x = self.dropout(self.embedding[token_ids])  # (B, S, d)
        x = x + self.mix * (x.cumsum(1) - x)  # each position and what came before it
        x = torch.sin(x + self.lean * x.sum(1, keepdim=True))
        logits = x @ self.output.T + self.bias  # (B, S, V)
        if logits.requires_grad:
            self.built = True
            alive = _Alive()
            self.graphs.append(weakref.ref(alive))
            logits.register_hook(  # type: ignore[no-untyped-call]
                lambda gradient, alive=alive: None  # kept as long as the graph is
            )
        if self.nudge:
            for parameter in self.parts:
                before = 0.0 if parameter.grad is None else parameter.grad
                parameter.grad = torch.full_like(parameter, self.nudge) + before
        return logits

    @property
    def parts(self) -> Iterator[nn.Parameter]:
        for name in PARAMETERS:
            yield getattr(self, name)


class ToyOptimizer(Bare):
    """Descent with momentum, as `torch.optim.SGD` does it; remembers the gradients of its last step."""

    def __init__(self, parameters: Sequence[nn.Parameter], lr: float, momentum: float) -> None:
        super().__init__(parameters, lr=lr, momentum=momentum)
        self.stepped: list[Tensor | None] = []
        self.steps = 0

    def move(self) -> None:
        """One step."""
        self.stepped = []
        self.steps += 1
        for group in self.param_groups:
            for parameter in group["params"]:
                self._move(parameter, group["lr"], group["momentum"])

    def _move(self, parameter: nn.Parameter, lr: float, momentum: float) -> None:
        gradient = parameter.grad
        self.stepped.append(None if gradient is None else gradient.detach().clone())
        if gradient is None:
            return
        kept = self.state[parameter]
        before = kept.get("momentum_buffer")
        velocity = gradient.detach().clone() if before is None else before * momentum + gradient.detach()
        kept["momentum_buffer"] = velocity
        parameter.sub_(velocity * lr)


def make_model(settings: dict[str, Any], train: bool) -> ToyModel:
    """The model with these parameters, in training or eval mode, with gradients left from before."""
    tensors = [settings.get(name) for name in (*PARAMETERS, "keep")]
    if not all(isinstance(t, Tensor) for t in tensors):
        raise Malformed("a model without its parameters")
    shares = [float(settings.get(name, 0.0)) for name in ("mix", "lean", "nudge", "frozen")]
    model = ToyModel(*tensors, *shares)  # type: ignore[arg-type]
    stale = float(settings.get("stale", 0.0))
    if stale:
        for parameter in model.parts:
            parameter.grad = torch.full_like(parameter, stale)
    return model.train(train)


def make_optimizer(model: ToyModel | None, settings: dict[str, Any]) -> ToyOptimizer:
    """The optimizer of a model that was made before."""
    if model is None:
        raise Malformed("an optimizer of no model")
    return ToyOptimizer(list(model.parts), float(settings["lr"]), float(settings.get("momentum", 0.0)))


def taught(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    rounds: int,
    looks: Sequence[str],
) -> dict[str, Any]:
    """Calls the function once for each round; what it returned, and what the looks found.

    Parameters are looked at after each round, everything else at the end.
    """
    if not 1 <= rounds <= MAX_ROUNDS or not set(looks) <= set(LOOKS):
        raise Malformed("no lesson of ours")
    given = [*args, *kwargs.values()]
    model = next((a for a in given if isinstance(a, ToyModel)), None)
    optimizer = next((a for a in given if isinstance(a, ToyOptimizer)), None)
    if model is None:
        raise Malformed("a lesson without a model")
    returned = []
    seen: dict[str, list[Tensor]] = {name: [] for name in looks if name in PARAMETERS}
    for number in range(rounds):
        turn = [_of_round(a, number) for a in args]
        returned.append(function(*turn, **{n: _of_round(a, number) for n, a in kwargs.items()}))
        for name, values in seen.items():
            values.append(getattr(model, name).detach().clone())
    told: dict[str, Any] = {"returned": [_plain(value) for value in returned], **seen}
    if "graph" in looks:
        told["graph"] = _any_alive(model)
    if "built" in looks:
        told["built"] = bool(model.built)
    if "mode" in looks:
        told["mode"] = [bool(part.training) for part in (model, model.dropout)]
    if "reworked" in looks:
        told["reworked"] = optimizer is not None and _reworked(model, optimizer)
    if "steps" in looks:
        told["steps"] = 0 if optimizer is None else int(optimizer.steps)
    return told


def _of_round(value: Any, number: int) -> Any:
    return value.items[number] if isinstance(value, Series) else value


def _plain(value: Any) -> Any:
    """A float of a subclass (NumPy's is one) as a float."""
    return float(value) if isinstance(value, float) else value


def _any_alive(model: ToyModel) -> bool:
    if not any(graph() is not None for graph in model.graphs):
        return False
    gc.collect()  # what only holds itself is not kept
    return any(graph() is not None for graph in model.graphs)


def _reworked(model: ToyModel, optimizer: ToyOptimizer) -> bool:
    """Whether there are gradients that are neither zero nor those of the last step."""
    for parameter, stepped in zip(model.parts, optimizer.stepped):
        left = parameter.grad
        if left is None or not bool(left.any()):
            continue
        if stepped is None or not torch.equal(left, stepped):
            return True
    return False
