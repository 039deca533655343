"""Examples to look at: a few calls whose results make a map that people can read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.marking.picture import FUTURE, OTHER, PADDING
from grader.text import Text

__all__ = ["KEY", "POSITION", "QUERY", "Scene", "first", "forbidding", "influence", "numbered"]

QUERY, KEY = Text("query", "查询"), Text("key", "键")
POSITION = Text("position", "位置")
REASONS = ("", FUTURE, PADDING, OTHER)


@dataclass(frozen=True)
class Scene:
    """An example of one target.

    kind: as in `marking.picture`; probes: the calls; output: which of the things that the target returns
    is looked at; read: makes maps (parts, rows, columns) of it, given one result for each probe, all of
    the shapes that are expected; forbidden: for each cell an index into REASONS, the same for all parts;
    alike: by how much a map may differ from the expected one, against its largest value.
    """

    title: Text
    kind: str
    probes: tuple[Probe, ...]
    read: Callable[[Sequence[Tensor]], Tensor]
    row_axis: Text
    column_axis: Text
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    parts: tuple[Text, ...] = ()
    forbidden: Tensor | None = None
    output: int = 0
    alike: float = 1e-5

    def reasons(self) -> tuple[tuple[str, ...], ...]:
        """Why each cell is forbidden, in words of one; empty where none is."""
        if self.forbidden is None:
            return ()
        return tuple(tuple(REASONS[int(code)] for code in row) for row in self.forbidden)


def first(results: Sequence[Tensor]) -> Tensor:
    """The only result, in which leading axes of one element are dropped."""
    found = results[0]
    return found.reshape(-1, *found.shape[-2:])


def influence(results: Sequence[Tensor]) -> Tensor:
    """How much each row of the first result changes in each of the others: (1, rows, columns).

    A result is (1, rows, features); in each of the others something is changed in one column's input.
    """
    before, *after = (r[0].double() for r in results)
    return torch.stack([(one - before).abs().amax(-1) for one in after], dim=-1)[None]


def numbered(count: int, start: int = 1) -> tuple[str, ...]:
    """Labels ``1``, ``2``, ..."""
    return tuple(str(n) for n in range(start, start + count))


def forbidding(size: int, *, causal: bool = False, padding: int = 0, diagonal: bool = True) -> Tensor:
    """Which cells of a square map are forbidden: the future, the last `padding` columns, or both.

    diagonal: whether a padded position may not even see itself.
    """
    found = torch.zeros(size, size, dtype=torch.long)
    if causal:
        found[torch.ones(size, size).triu(1).bool()] = REASONS.index(FUTURE)
    if padding:
        hidden = torch.zeros(size, size, dtype=torch.bool)
        hidden[:, size - padding :] = True
        if not diagonal:
            hidden.fill_diagonal_(False)
        found[hidden & (found == 0)] = REASONS.index(PADDING)
    return found
