"""Faults of attention that are the same from outside in some of their forms, and why."""

from __future__ import annotations

from grader.diagnosis.faults import Catalogue
from grader.text import Text

__all__ = ["declare"]


def declare(catalogue: Catalogue) -> None:
    """Declares them in a catalogue that has the faults of attention."""
    catalogue.same(
        "mask-filled-too-small",
        "mask-added-as-bool",
        Text(
            "a softmax does not change when a number is added to a whole row: adding the 0/1 mask is adding "
            "-1 where it forbids",
            "给整行加上同一个数不会改变 softmax：加上 0/1 掩码，等于在被屏蔽处加 -1",
        ),
    )
