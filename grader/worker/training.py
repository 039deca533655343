"""Trains a learner's model with their own `train_step`, some steps for each request.

The batches, the number of steps and the learning rates come with the request.  What is noted of the
optimiser (when it was told to step, how large the gradients were) is a claim like everything that leaves
a worker: it helps to say what goes wrong, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from grader.worker.looking import parameters_of
from grader.worker.optimizing import Bare

__all__ = ["Adam", "Training"]

IGNORE = -100
NAN = float("nan")


class Adam(Bare):
    """Adam (Kingma and Ba 2015) that notes what it is told.

    events: ``clear``, ``backward``, ``step``, in their order; norm: of all gradients at the last step.
    """

    def __init__(self, parameters: list[Tensor], betas: tuple[float, float], eps: float) -> None:
        super().__init__(parameters, lr=0.0, betas=betas, eps=eps)
        self.events: list[str] = []
        self.norm = NAN
        self.reached = 0

    def note(self, event: str) -> None:
        """Notes an event; several of the same in a row are one."""
        if self.events[-1:] != [event]:
            self.events.append(event)

    def begin(self, rate: float) -> None:
        """A call of `train_step` follows."""
        self.events, self.norm, self.reached = [], NAN, 0
        for group in self.param_groups:
            group["lr"] = rate

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clears the gradients."""
        self.note("clear")
        super().zero_grad(set_to_none)

    def move(self) -> None:
        """One step of Adam."""
        self.events.append("step")
        self.norm = _norm_of(self.parameters())
        self.reached = sum(p.grad is not None for p in self.parameters())
        for group in self.param_groups:
            self._move(group)

    def _move(self, group: Mapping[str, Any]) -> None:
        parameters = [p for p in group["params"] if p.grad is not None]
        if not parameters:
            return
        gradients = [p.grad for p in parameters]
        for p in parameters:
            if not self.state[p]:
                self.state[p] = {"step": 0, "mean": torch.zeros_like(p), "square": torch.zeros_like(p)}
            self.state[p]["step"] += 1
        first, second = group["betas"]
        means = [self.state[p]["mean"] for p in parameters]
        squares = [self.state[p]["square"] for p in parameters]
        torch._foreach_lerp_(means, gradients, 1 - first)
        torch._foreach_mul_(squares, second)
        torch._foreach_addcmul_(squares, gradients, gradients, 1 - second)
        counts = [self.state[p]["step"] for p in parameters]
        roots = torch._foreach_sqrt(squares)
        torch._foreach_div_(roots, [(1 - second**n) ** 0.5 for n in counts])
        torch._foreach_add_(roots, group["eps"])
        torch._foreach_addcdiv_(parameters, means, roots, [-group["lr"] / (1 - first**n) for n in counts])


def _norm_of(parameters: list[Tensor]) -> float:
    """The norm of all gradients together; 0 where there are none."""
    found = [p.grad.detach() for p in parameters if p.grad is not None]
    if not found:
        return 0.0
    return float(torch.linalg.vector_norm(torch.stack(torch._foreach_norm(found)).double()))


class Training:
    """One model in training: with it, its optimiser."""

    def __init__(self, model: nn.Module, settings: Mapping[str, Any]) -> None:
        self.model = model
        self.parameters = list({id(p): p for _, p in parameters_of(model) if p.requires_grad}.values())
        betas = (float(settings["betas"][0]), float(settings["betas"][1]))
        self.optimizer = Adam(self.parameters, betas, float(settings["eps"]))
        self.hooked = False

    def steps(
        self, module: Any, request: Mapping[str, Any], tokens: Tensor, counted: Tensor
    ) -> dict[str, Any]:
        """As many calls of `train_step` as there are batches.

        tokens: (n, B, S); counted: (S,), where a target counts.
        """
        if request.get("closely"):
            self.watch()
        rates, most = request["rates"], request["clip"]
        before = [p.detach().clone() for p in self.parameters] if request.get("closely") else []
        losses: list[Any] = []
        notes: dict[str, list[Any]] = {"events": [], "norms": [], "left": [], "reached": [], "training": []}
        for batch, rate in zip(tokens, rates):
            targets = module.next_token_targets(batch.clone())
            if isinstance(targets, Tensor) and targets.shape == batch.shape:
                targets = torch.where(counted, targets, torch.full_like(targets, IGNORE))
            self.optimizer.begin(float(rate))
            loss = module.train_step(self.model, self.optimizer, batch.clone(), targets, most)
            losses.append(loss.detach().clone() if isinstance(loss, Tensor) else loss)
            notes["events"].append(self.optimizer.events[:12])
            notes["norms"].append(self.optimizer.norm)
            notes["reached"].append(self.optimizer.reached)
            if request.get("closely"):
                notes["left"].append(_norm_of(self.parameters))
        moved = max(
            (float((p.detach() - b).abs().max()) for p, b in zip(self.parameters, before)), default=0.0
        )
        return {"losses": losses, **notes, "moved": moved, "parameters": len(self.parameters)}

    def watch(self) -> None:
        """From now on, the arrival of gradients is an event too."""
        if not self.hooked:
            self.hooked = True
            for parameter in self.parameters:
                parameter.register_post_accumulate_grad_hook(  # type: ignore[no-untyped-call]
                    lambda p: self.optimizer.note("backward")
                )

    def decode(self, module: Any, request: Mapping[str, Any], prompt: Tensor) -> dict[str, Any]:
        """One call of `greedy_decode`."""
        self.model.train()
        tokens = module.greedy_decode(self.model, prompt.clone(), request["most"], request["eos"])
        return {"tokens": tokens}
