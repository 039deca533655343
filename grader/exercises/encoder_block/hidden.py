"""What dropout does to the hidden layer of the FFN, seen through a second linear map that changes nothing."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.exercises.dropping import called_in_training, drawn_anew, dropped_together
from grader.exercises.encoder_block.probes import feed_case, inputs
from grader.marking.lab import Lab
from grader.text import Text

__all__ = ["hidden_values_dropped"]

WIDTH = 8


def hidden_values_dropped(lab: Lab, rate: float, sigmas: float) -> None:
    """Each hidden value is 0 or grows by 1 / (1 - p), each by its own chance; or none is dropped (open)."""
    title = Text(f"the FFN in training with dropout={rate}", f"训练模式、dropout={rate} 的 FFN")
    x = inputs(146, 8, 8, WIDTH)
    probe = feed_case("x", title.en, title.zh, x, d_ff=WIDTH, dropout=rate, train=True, condition=100)
    state = dict(probe.state or {})
    sums = x @ state["linear1.weight"].T
    state["linear1.bias"] = (
        (1 - sums.amin()).expand(WIDTH).clone()
    )  # every sum is positive, so a zero is a drop
    state["linear2.weight"] = torch.eye(WIDTH, dtype=torch.float64)  # the result is the hidden layer itself
    state["linear2.bias"] = torch.zeros(WIDTH, dtype=torch.float64)
    probe = probe.but(state=state)
    made, seen = called_in_training(lab, probe)
    lab.must_work(seen, title)
    hidden = sums + state["linear1.bias"]
    found = seen.value
    if not isinstance(found, Tensor) or found.shape != x.shape or lab.close(found, hidden, 100):
        return
    zero = found.abs() < 1e-9
    lab.near("result", found, (hidden / (1 - rate)).masked_fill(zero, 0.0), condition=100, title=title)
    together = dropped_together(~zero)
    if together is not None and not bool(zero.all()):
        said = title + Text(": of the hidden layer, ", "：隐藏层中，") + together
        lab.fail(said.en, said.zh, fault="dropout-whole-positions")
    share = float(zero.double().mean())
    if not rate - sigmas < share < rate + sigmas:
        lab.fail(
            f"{title.en}: {share:.0%} of the hidden values are dropped",
            f"{title.zh}：隐藏层有 {share:.0%} 的值被丢弃",
        )
    drawn_anew(lab, probe, made, seen)
