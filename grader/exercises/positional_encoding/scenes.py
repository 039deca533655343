"""The table of positions, and what the module adds to an input of zeros."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from grader.exercises.positional_encoding.probes import FIXED, module_case, table_case
from grader.exercises.scene import POSITION, Scene, numbered
from grader.text import Text

__all__ = ["SCENES"]

ROWS, WIDTH, SHORT = 24, 16, 10
COLUMN = Text("feature", "特征")


def _table(results: Sequence[Tensor]) -> Tensor:
    return results[0].double().reshape(1, *results[0].shape[-2:])


ADDED = Text(f"What {FIXED} adds to each position", f"{FIXED} 给每个位置加上的值")
SCENES = (
    Scene(
        Text.same(f"sinusoidal_table({ROWS}, {WIDTH})"),
        "values",
        (table_case("scene", ROWS, WIDTH),),
        _table,
        POSITION,
        COLUMN,
        numbered(ROWS, 0),
        numbered(WIDTH, 0),
    ),
    Scene(
        ADDED,
        "values",
        (
            module_case(
                FIXED,
                "scene",
                ADDED.en,
                ADDED.zh,
                torch.zeros(1, SHORT, WIDTH, dtype=torch.float32),
                max_len=ROWS,
                own=False,
            ),
        ),
        _table,
        POSITION,
        COLUMN,
        numbered(SHORT, 0),
        numbered(WIDTH, 0),
    ),
)
