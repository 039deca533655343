"""What dropout does to the hidden layer of the FFN, seen through a second linear map that changes nothing."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.exercises.encoder_block.probes import feed_case, inputs
from grader.marking.lab import Lab
from grader.text import Text

__all__ = ["hidden_values_dropped"]

WIDTH, POSITIONS = 8, 32


def hidden_values_dropped(lab: Lab, rate: float, sigmas: float) -> None:
    """Each hidden value is 0 or grows by 1 / (1 - p), each by its own chance; or none is dropped (open)."""
    title = Text(f"the FFN in training with dropout={rate}", f"训练模式、dropout={rate} 的 FFN")
    x = inputs(146, 4, POSITIONS // 4, WIDTH)
    probe = feed_case("x", title.en, title.zh, x, d_ff=WIDTH, dropout=rate, train=True)
    state = dict(probe.state or {})
    state["linear2.weight"] = torch.eye(WIDTH, dtype=torch.float64)  # the result is the hidden layer itself
    state["linear2.bias"] = torch.zeros(WIDTH, dtype=torch.float64)
    seen = lab.observe(probe.but(state=state))
    lab.must_work(seen, title)
    hidden = (x @ state["linear1.weight"].T + state["linear1.bias"]).relu()
    found = seen.value
    if not isinstance(found, Tensor) or found.shape != x.shape or lab.close(found, hidden, 100):
        return
    zero = found.abs() < 1e-9
    lab.near("result", found, (hidden / (1 - rate)).masked_fill(zero, 0.0), condition=100, title=title)
    live = hidden > 1e-3
    share = float(zero[live].double().mean())
    whole = int(((zero | ~live).all(-1) & live.any(-1)).sum())  # positions of which nothing is left
    if not rate - sigmas < share < rate + sigmas or whole > POSITIONS // 8:
        lab.fail(
            f"{title.en}: {share:.0%} of the values are dropped, {whole} of {POSITIONS} positions entirely",
            f"{title.zh}：{share:.0%} 的值被丢弃，{POSITIONS} 个位置中有 {whole} 个全部被丢弃",
        )
