"""The model of a training step, carried out on a stand-in for a model over several rounds.

Here a step is a decision: when the gradients are cleared, what is clipped, what is returned.  A fault
decides otherwise, `result` acts accordingly, and so mistakes in different decisions can stand together.
The steps of `sequence_loss` are decisions too (which function takes them), since a mistake in the loss
shows in what is learned from it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Model, State
from grader.exercises.training.model import loss
from grader.submission.asking import Each
from grader.submission.observation import Opaque
from grader.worker.toys import PARAMETERS, ToyModel, ToyOptimizer, make_model, make_optimizer

__all__ = ["OF_LOSS", "global_norm", "train", "twin"]

train = Model("train_step", ("model", "optimizer", "token_ids", "targets", "max_grad_norm"))

OF_LOSS = {name: f"loss_{name}" for name in loss.steps}  # the steps of the loss as decisions here


def twin(s: State) -> ToyModel:
    """The stand-in of a probe in float64, for the trusted side alone."""
    settings = {
        name: value.double() if isinstance(value, Tensor) else value
        for name, value in s.model.settings.items()
    }
    return make_model(settings, s.model.train)


def global_norm(gradients: list[Tensor]) -> Tensor:
    """The norm of all gradients taken together."""
    return torch.stack([g.square().sum() for g in gradients]).sum().sqrt()


@train.step
def mode(s: State) -> str:
    return "train"


@train.step
def fed(s: State) -> str:
    """What the model sees and what its logits are compared with."""
    return "as given"


@train.step
def cleared(s: State) -> str:
    """When old gradients are cleared."""
    return "first"


@train.step
def backward(s: State) -> int:
    """How often."""
    return 1


@train.step
def clip(s: State) -> Callable[[list[Tensor], float], list[Tensor]]:
    return by_global_norm


@train.step
def clipped(s: State) -> str:
    """When gradients are clipped, once a norm is given."""
    return "before the step"


@train.step
def limit(s: State) -> float | None:
    found: float | None = s.max_grad_norm
    return found


@train.step
def stepped(s: State) -> str:
    """When the optimizer steps."""
    return "last"


@train.step
def returned(s: State) -> str:
    return "loss"


@train.step
def kept(s: State) -> bool:
    """Whether the graph stays alive."""
    return False


def _decides(step: Callable[[Any], Any]) -> Callable[[State], Any]:
    return lambda s: step


for _name, _step in loss.steps.items():
    train.steps[OF_LOSS[_name]] = _decides(_step)


def by_global_norm(gradients: list[Tensor], most: float) -> list[Tensor]:
    """All scaled alike, so that their norm taken together is at most `most`."""
    factor = (most / (global_norm(gradients) + 1e-6)).clamp(max=1.0)
    return [g * factor for g in gradients]


@train.step
def result(s: State) -> Any:
    with torch.enable_grad():
        return _Lesson(s).given()


class _Lesson:
    """All rounds of one probe, as the decisions have it."""

    def __init__(self, s: State) -> None:
        self.s = s
        self.model = twin(s)
        optimizer = s.optimizer
        self.optimizer: ToyOptimizer = make_optimizer(
            self.model, {"lr": optimizer.lr, "momentum": optimizer.momentum}
        )
        self.steps = 0
        self.reworked = False

    def given(self) -> Any:
        s = self.s
        ids, targets = (a.items if isinstance(a, Each) else (a,) for a in (s.token_ids, s.targets))
        losses: list[Any] = []
        seen: dict[str, list[Tensor]] = {name: [] for name in PARAMETERS}
        for token_ids, wanted in zip(ids, targets):
            losses.append(self.round(token_ids, wanted))
            for name in PARAMETERS:
                seen[name].append(getattr(self.model, name).detach().clone())
        looks = {
            **{name: torch.stack(values) for name, values in seen.items()},
            "graph": s.kept or s.returned == "tensor",
            "reworked": self.reworked,
            "steps": self.steps,
            "mode": tuple(part.training for part in (self.model, self.model.dropout)),
        }
        return (self.said(losses), *(looks[name] for name in s.model.looks))

    def said(self, losses: list[Any]) -> Any:
        """What the calls returned: Python floats come as one tensor."""
        how = self.s.returned
        if how in ("tensor", "plain tensor"):
            return tuple(x.to(self.s.out_dtype) for x in losses)
        if how == "array":
            return tuple(Opaque("ndarray") for _ in losses)
        if how == "none":
            return tuple(None for _ in losses)
        return torch.stack(losses)

    def round(self, token_ids: Tensor, wanted: Tensor) -> Tensor:
        s = self.s
        if s.mode in ("train", "eval"):
            self.model.train(s.mode == "train")
        if s.mode == "flag":
            self.model.training = True  # the parts of the model do not hear of it
        if s.cleared == "first":
            self.optimizer.zero_grad()
        value = self.loss_of(token_ids, wanted)
        if s.stepped == "before backward":
            self.step()
        if s.clipped == "before backward":
            self.clip()
        for _ in range(s.backward):
            value.backward(retain_graph=True)  # type: ignore[no-untyped-call]
        if s.cleared == "before the step":
            self.optimizer.zero_grad()
        if s.clipped == "before the step":
            self.clip()
        if s.stepped in ("last", "twice", "by hand"):
            for _ in range(2 if s.stepped == "twice" else 1):
                self.step()
        if s.clipped == "after the step" and self.clip():
            self.reworked = True
        if s.stepped == "before backward" and s.backward:
            self.reworked = True
        if s.cleared == "last":
            self.optimizer.zero_grad()
            self.reworked = False
        if s.returned == "loss afterwards":
            value = self.loss_of(token_ids, wanted)
        if s.returned == "total":
            value = value * s.loss_divisor(self.last)
        return value.detach()

    def loss_of(self, token_ids: Tensor, wanted: Tensor) -> Tensor:
        """The loss by the steps that the decisions name."""
        s = self.s
        if s.fed == "own targets":  # those that are given are not used
            wanted = torch.full_like(token_ids, -100)
            wanted[:, :-1] = token_ids[:, 1:].masked_fill(token_ids[:, 1:] == 0, -100)
        if s.fed == "tokens":
            wanted = token_ids
        logits = self.model(token_ids)
        if s.fed == "shifted again":
            logits, wanted = logits[:, :-1], wanted[:, 1:]
        values = SimpleNamespace(logits=logits, targets=wanted, ignore_index=None, out_dtype=None)
        for name, decision in OF_LOSS.items():
            setattr(values, name, getattr(s, decision)(values))
        self.last = values
        found: Tensor = values.result
        return found

    def step(self) -> None:
        self.steps += 1
        if self.s.stepped != "by hand":
            self.optimizer.step()
            return
        with torch.no_grad():
            for parameter in self.model.parts:
                if parameter.grad is not None:
                    parameter.sub_(self.s.optimizer.lr * parameter.grad)

    def clip(self) -> bool:
        """Whether that changed any gradient."""
        gradients = [p.grad for p in self.model.parts if p.grad is not None]
        if self.s.limit is None or len(gradients) < len(PARAMETERS):
            return False
        new = self.s.clip(gradients, self.s.limit)
        changed = any(not torch.allclose(a, b) for a, b in zip(new, gradients))
        for parameter, gradient in zip(self.model.parts, new):
            parameter.grad = gradient.detach()
        return changed
