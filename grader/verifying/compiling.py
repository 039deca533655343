"""Writes the compiled catalogues of the rooms."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader.diagnosis.compiled import compile_room
from grader.exercises.registry import FOLDER, load_room
from grader.threads import one_thread

__all__ = ["compile_rooms"]


@one_thread()
def compile_rooms(names: Sequence[str]) -> list[Path]:
    """Works out anew what each fault of these exercises does on each probe; the files written."""
    rooms = [load_room(name) for name in names]
    return [compile_room(r.models.values(), r.catalogue, r.probes, FOLDER / r.id) for r in rooms]
