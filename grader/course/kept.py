"""What exercises gave, in a file that all grader processes of a batch share, and the next run too.

A student who hands in again has mostly changed one exercise; of the others, what they gave before still
holds.  Nothing depends on this file: where it cannot be read or written, exercises are marked once more.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from grader.course.settings import GradingSettings, kit_digest
from grader.course.storing import result_from_bytes, result_to_bytes
from grader.marking.records import ExerciseResult

__all__ = ["KeptAt", "KeptResults", "prepared"]

MOST = 200_000  # results, of about 2 kilobytes each
BUSY_SECONDS = 5.0
SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
  settings BLOB NOT NULL,  -- a digest of the kit and of the settings that decide a result
  key      BLOB NOT NULL,  -- see grader/marking/known.py
  result   BLOB NOT NULL,  -- see grader/course/storing.py
  PRIMARY KEY (settings, key)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class KeptAt:
    """Where such a file is, and the digest of the settings of a run."""

    path: Path
    settings: bytes

    def open(self) -> KeptResults | None:
        """In a process of its own: a connection does not outlive a fork.  None where it cannot be used."""
        try:
            return KeptResults(self)
        except sqlite3.Error:
            return None


def prepared(path: Path, settings: GradingSettings, *, anew: bool = False) -> KeptAt | None:
    """Makes the file, or makes room in it: what another kit or other settings gave goes.

    anew: nothing of what earlier runs found holds.  None where there can be no such file.
    """
    at = KeptAt(path, _digest(settings))
    for fresh in (anew, True):  # one that is damaged is begun again
        if fresh:
            for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
                with contextlib.suppress(OSError):
                    path.with_name(name).unlink(missing_ok=True)
        with contextlib.suppress(sqlite3.Error):
            _clear(at)
            return at
    return None


class KeptResults:
    """One connection.  Never raises: a result that cannot be had or kept is found again."""

    def __init__(self, at: KeptAt) -> None:
        """Raises `sqlite3.Error`."""
        self._settings = at.settings
        self._base = sqlite3.connect(at.path, timeout=BUSY_SECONDS, isolation_level=None)
        self._base.execute("PRAGMA synchronous = OFF")  # a crash of the machine costs this file at most

    def find(self, key: bytes) -> ExerciseResult | None:
        """The result that was kept under this key."""
        with contextlib.suppress(sqlite3.Error, ValueError):
            row = self._base.execute(
                "SELECT result FROM results WHERE settings = ? AND key = ?", [self._settings, key]
            ).fetchone()
            return result_from_bytes(row[0]) if row is not None else None
        return None

    def keep(self, key: bytes, result: ExerciseResult) -> None:
        """Keeps a result for everyone."""
        with contextlib.suppress(sqlite3.Error):
            self._base.execute(
                "INSERT OR IGNORE INTO results VALUES (?, ?, ?)",
                [self._settings, key, result_to_bytes(result)],
            )

    def close(self) -> None:
        self._base.close()


def _clear(at: KeptAt) -> None:
    with contextlib.closing(sqlite3.connect(at.path, timeout=BUSY_SECONDS, isolation_level=None)) as base:
        base.execute("PRAGMA journal_mode = WAL")
        base.executescript(SCHEMA)
        base.execute("DELETE FROM results WHERE settings != ?", [at.settings])
        (count,) = base.execute("SELECT count(*) FROM results").fetchone()
        if count > MOST:
            base.execute("DELETE FROM results")


def _digest(settings: GradingSettings) -> bytes:
    fixed = [kit_digest(), settings.exercises, sorted(settings.budget.items())]
    return hashlib.sha256(json.dumps(fixed).encode()).digest()
