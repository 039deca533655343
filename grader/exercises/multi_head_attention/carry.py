"""Multi-head attention on top of the learner's own attention."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.diagnosis.model import Carried, State
from grader.exercises.multi_head_attention.model import mha
from grader.exercises.room import Room
from grader.submission.client import Callback

__all__ = ["carry"]

NAME = "scaled_dot_product_attention"


def carry(room: Room, parts: Mapping[str, Carried]) -> tuple[Room, ...]:
    """The room in which the heads attend as the learner's own function does."""
    if NAME not in parts:
        return ()
    attention = parts[NAME]

    def mixed_and_weights(s: State) -> tuple[Any, Any]:
        output, weights = attention(s, s.q_heads, s.k_heads, s.v_heads, mask=s.prepared, dropout=_dropout(s))
        return output, weights

    def dropped(s: State) -> Any:
        s.attended = mixed_and_weights(s)
        return s.attended[1]  # (B, H, L, S)

    def mixed(s: State) -> Any:
        return s.attended[0]  # (B, H, L, d_k)

    return (room.on({mha.target: mha.on(parts, dropped=dropped, mixed=mixed)}),)


def _dropout(s: State) -> Callback | None:
    """What the module passes on as dropout: nothing outside training, where it changes nothing."""
    if not s.train or s.dropout == 0.0:
        return None
    if s.dropout == 1.0:
        return Callback("scale", {"factor": 0.0})
    return Callback("dropout", {"p": s.dropout})
