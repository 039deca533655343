"""Writes the compiled catalogues of the rooms."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from grader.diagnosis.compiled import compile_room
from grader.exercises.registry import FOLDER, load_room

__all__ = ["compile_rooms"]


def compile_rooms(names: Sequence[str]) -> list[Path]:
    """Works out anew what each fault of these exercises does on each probe; the files written."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        rooms = [load_room(name) for name in names]
        return [
            compile_room(room.models.values(), room.catalogue, room.probes, FOLDER / room.id)
            for room in rooms
        ]
    finally:
        torch.set_num_threads(threads)
