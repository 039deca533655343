"""Small inputs of the targets and of the loss, for `grade repro`.

A training step and decoding need a model besides, so that no few lines show what is wrong with them:
there `grade trace` and the diagnosis say more.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from grader.exercises.small import Axes, Case, Small, start, turned, whole
from grader.text import Text

__all__ = ["SMALL"]

IGNORE = -100
HALVES = (torch.float16, torch.bfloat16)


def _targets() -> Iterator[Case]:
    rows = ([[5]], [[5, 6]], [[5, 0]], [[0, 5]], [[5, 6, 7]], [[5, 0, 6]], [[5, 6], [7, 8]], [[5, 6, 0]])
    more = ([[0, 5, 6]], [[5, 6, 7, 8]], [[5, 0, 6], [7, 8, 0]], [[5, 6, 7], [8, 9, 1], [2, 3, 4]])
    for row in (*rows, *more):
        ids = torch.tensor(row)
        yield start("next_token_targets", ids)
        yield start("next_token_targets", ids, kwargs={"pad_id": 6})
        yield start("next_token_targets", ids, kwargs={"ignore_index": -1})
        yield start("next_token_targets", ids, 5, -2)
        yield start("next_token_targets", ids.to(torch.int32))
        yield start("next_token_targets", turned(ids))


def _costs(draw: int) -> Iterator[Case]:
    wanted = (
        [[0]], [[IGNORE]], [[1, 0]], [[1, IGNORE]], [[1], [0]], [[0, 1], [IGNORE, 0]],
        [[1, 0, 1], [0, IGNORE, IGNORE]],
    )  # fmt: skip
    for row in wanted:
        targets = torch.tensor(row)
        for V in (2, 3):
            given = whole(draw, *targets.shape, V)
            yield start("sequence_loss", given, targets)
            yield start("sequence_loss", given, targets, seed=torch.ones(()))
            yield start("sequence_loss", given.double(), targets)
            other = targets.masked_fill(targets == IGNORE, 1)
            yield start("sequence_loss", given, other, kwargs={"ignore_index": 1})
            yield start("sequence_loss", turned(given, 0, 1), targets)
            yield start("sequence_loss", given * 200.0, targets, tier="edge", condition=400.0)
            for dtype in HALVES:
                yield start("sequence_loss", given.to(dtype), targets, tier="edge", condition=4.0)


def starts() -> Iterator[Case]:
    """All of them; the search takes them in order of size."""
    yield from _targets()
    for draw in (1, 2):
        yield from _costs(draw)


AXES = {
    "next_token_targets": Axes({"token_ids": ("B", "S")}),
    "train_step": Axes({"token_ids": ("B", "S"), "targets": ("B", "S")}),
    "greedy_decode": Axes({"prompt": ("B", "S")}),
    "sequence_loss": Axes({"logits": ("B", "S", "-"), "targets": ("B", "S")}),
}
MEANING = {
    "next_token_targets.result": Text(
        "[b, t] is the token that follows position t of sequence b, or ignore_index where there is none",
        "[b, t] 是序列 b 中位置 t 之后的词元；没有时为 ignore_index",
    ),
    "sequence_loss.result": Text(
        "the mean of -log softmax(logits)[target] over the targets that count, 0 when none does",
        "对计入的目标取 -log softmax(logits)[target] 的平均；没有目标计入时为 0",
    ),
}
SMALL = Small(starts, AXES, MEANING)
