"""A workspace: a folder with ``.grade/`` in it.  Nothing in there names a place, so it may be moved."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.workspace.journal import Journal

__all__ = ["Event", "Workspace"]

FOLDER = ".grade"
VERSION = 1


@dataclass(frozen=True)
class Event:
    """Something that happened: kind is a word (``run``, ``hint``, ``reset``, ...), time is in seconds since
    the epoch, data is what the kind says (plain JSON values)."""

    kind: str
    time: float
    data: dict[str, Any]

    def word(self, name: str) -> str:
        """A string of the data; empty where there is none."""
        found = self.data.get(name)
        return found if isinstance(found, str) else ""

    def number(self, name: str) -> float:
        """A number of the data; 0 where there is none."""
        found = self.data.get(name)
        return float(found) if isinstance(found, (int, float)) and not isinstance(found, bool) else 0.0


class Workspace:
    """The folder of a learner, and what is remembered there.

    Any part of the kit may record events of a kind of its own with `record` and read them with `events`;
    a reader passes over kinds that it does not know.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.journal = Journal(folder / FOLDER / "progress.jsonl")

    @classmethod
    def find(cls, folder: Path) -> Workspace | None:
        """The workspace that this folder is; None where `grade init` was never run in it."""
        place = folder / FOLDER
        try:
            return cls(folder) if place.is_dir() and not place.is_symlink() else None
        except OSError:  # a folder that may not be entered
            return None

    @classmethod
    def make(cls, folder: Path) -> Workspace:
        """Makes a folder a workspace, where it is none yet; an `OSError` where that cannot be."""
        place = folder / FOLDER
        made = not place.is_dir()
        place.mkdir(exist_ok=True)
        if made:
            with contextlib.suppress(OSError):  # it is nobody's business, and no part of a homework
                (place / ".gitignore").write_text("*\n", encoding="utf-8")
            cls(folder).record("init")
        return cls(folder)

    def record(self, kind: str, **data: Any) -> bool:
        """Remembers an event; False where the folder cannot be written, which is no error."""
        return self.record_all([(kind, data)])

    def record_all(self, events: Sequence[tuple[str, dict[str, Any]]]) -> bool:
        """Remembers several events of the same moment."""
        now = round(time.time(), 3)
        return self.journal.append({"v": VERSION, "t": now, "kind": kind, **data} for kind, data in events)

    def events(self, *kinds: str) -> list[Event]:
        """What was remembered, oldest first; of these kinds, or of all."""
        return [e for row in self.journal.rows() if (e := _event(row)) and (not kinds or e.kind in kinds)]

    def backup(self, name: str, data: bytes) -> Path:
        """Keeps the bytes of a file that is about to be replaced: where.  An `OSError` where it cannot."""
        place = self.folder / FOLDER / "backups"
        place.mkdir(exist_ok=True)
        stem, _, suffix = name.rpartition(".")
        stamp = time.strftime("%Y-%m-%d-%H%M%S")
        number = 1
        while True:
            again = f"-{number}" if number > 1 else ""
            target = place / f"{stem}.{stamp}{again}.{suffix}"
            try:
                with target.open("xb") as file:
                    file.write(data)
            except FileExistsError:
                number += 1
                continue
            return target


def _event(row: dict[str, Any]) -> Event | None:
    kind, moment = row.get("kind"), row.get("t")
    if not isinstance(kind, str) or not isinstance(moment, (int, float)) or isinstance(moment, bool):
        return None
    return Event(kind, float(moment), {k: v for k, v in row.items() if k not in ("v", "t", "kind")})
