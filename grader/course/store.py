"""The store of a batch: SQLite, one row for each student and content, written by the parent process alone.

A row is *queued*, *grading* or *done*.  Each change is a transaction of its own, so whatever ends the run,
at any moment, costs at most what was being graded; those rows are queued again when the store is opened.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from grader.closing import Closing
from grader.course.handed import Handed
from grader.course.records import Graded, Row
from grader.course.storing import graded_to_bytes
from grader.errors import UsageError
from grader.text import Text

__all__ = ["Entry", "Store"]

VERSION = "1"
SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS submissions (
  student     TEXT NOT NULL,
  digest      TEXT NOT NULL,  -- of the files that count, the settings and the kit
  name        TEXT,
  place       TEXT NOT NULL,
  handed_at   TEXT,
  marked_late INTEGER NOT NULL,
  present     INTEGER NOT NULL,  -- in the folder when the last run began
  state       TEXT NOT NULL CHECK (state IN ('queued', 'grading', 'done')),
  graded      BLOB,              -- see grader/course/storing.py
  by_kit      INTEGER NOT NULL DEFAULT 0,
  seconds     REAL,
  worker      TEXT,
  finished_at REAL,
  PRIMARY KEY (student, digest)
);
CREATE INDEX IF NOT EXISTS by_digest ON submissions (digest, state);
"""


@dataclass(frozen=True)
class Entry:
    """A submission and the digest of what is in it."""

    handed: Handed
    digest: str


class Store(Closing):
    """The results of a course, in one file.  Held by one process at a time."""

    def __init__(self, path: Path) -> None:
        """Raises `UsageError` where the file is none of ours, or another run holds it."""
        self.path = path
        self._lock = _lock(path.with_name(f"{path.name}.lock"))
        try:
            self._base = sqlite3.connect(path, isolation_level=None)
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = NORMAL")
            self._base.executescript(SCHEMA)
            self._base.execute("INSERT OR IGNORE INTO meta VALUES ('version', ?)", [VERSION])
            known = self.setting("version")
            if known != VERSION:
                raise _not_ours(path, f"version {known}")
            self._base.execute("UPDATE submissions SET state = 'queued' WHERE state = 'grading'")
        except sqlite3.Error as error:
            _unlock(self._lock)
            if isinstance(error, sqlite3.OperationalError):  # full, or not ours to write
                why = Text(f"cannot write {path}: {error}", f"无法写入 {path}：{error}")
                raise UsageError(why) from error
            raise _not_ours(path, str(error)) from error
        except BaseException:
            _unlock(self._lock)
            raise

    # -- what is to be done ---------------------------------------------------------------------

    def enter(self, entries: Sequence[Entry], *, again: bool = False) -> None:
        """Takes in the submissions of this run.  What is unchanged keeps its result, unless `again`; what
        the kit has failed to grade waits once more."""
        with self._transaction() as base:
            base.execute("UPDATE submissions SET present = 0")
            base.executemany(
                "INSERT INTO submissions"
                " (student, digest, name, place, handed_at, marked_late, present, state)"
                " VALUES (?, ?, ?, ?, ?, ?, 1, 'queued') ON CONFLICT (student, digest) DO UPDATE SET"
                " name = excluded.name, place = excluded.place, handed_at = excluded.handed_at,"
                " marked_late = excluded.marked_late, present = 1",
                [_values(entry) for entry in entries],
            )
            which = "" if again else "AND by_kit = 1"
            base.execute(
                "UPDATE submissions SET state = 'queued', graded = NULL, by_kit = 0 "
                f"WHERE present = 1 AND state = 'done' {which}"
            )
            if again:
                return
            base.execute(  # the same content under another student's name, or in an earlier run
                "UPDATE submissions AS new SET state = 'done', graded = old.graded, seconds = old.seconds,"
                " worker = old.worker, finished_at = old.finished_at FROM submissions AS old"
                " WHERE new.present = 1 AND new.state = 'queued' AND old.digest = new.digest"
                " AND old.state = 'done' AND old.by_kit = 0"
            )

    def waiting(self) -> list[str]:
        """The digests that are to be graded, each once, in the order of students."""
        rows = self._base.execute(
            "SELECT digest FROM submissions WHERE present = 1 AND state != 'done'"
            " GROUP BY digest ORDER BY min(student)"
        )
        return [digest for (digest,) in rows]

    def started(self, digest: str, worker: str) -> None:
        """A worker has begun with it."""
        self._base.execute(
            "UPDATE submissions SET state = 'grading', worker = ? WHERE digest = ? AND state != 'done'",
            [worker, digest],
        )

    def finished(self, digest: str, graded: Graded, worker: str = "") -> None:
        """The result, for everyone who handed this in."""
        self._base.execute(
            "UPDATE submissions SET state = 'done', graded = ?, by_kit = ?, seconds = ?, worker = ?,"
            " finished_at = ? WHERE digest = ? AND state != 'done'",
            [graded_to_bytes(graded), graded.by_kit, graded.seconds, worker, time.time(), digest],
        )

    # -- what there is --------------------------------------------------------------------------

    def rows(self) -> Iterator[Row]:
        """The submissions of this batch, by student."""
        found = self._base.execute(
            "SELECT student, name, place, handed_at, marked_late, digest, graded, worker FROM submissions"
            " WHERE present = 1 ORDER BY student"
        )
        for student, name, place, at, late, digest, graded, worker in found:
            yield Row(
                student,
                name,
                place,
                datetime.fromisoformat(at) if at else None,
                bool(late),
                digest,
                graded,
                worker,
            )

    def counts(self) -> dict[str, int]:
        """How many submissions of this batch are in which state."""
        rows = self._base.execute("SELECT state, count(*) FROM submissions WHERE present = 1 GROUP BY state")
        return {"queued": 0, "grading": 0, "done": 0} | dict(rows.fetchall())

    def setting(self, name: str) -> str | None:
        """A value that is kept beside the results."""
        row = self._base.execute("SELECT value FROM meta WHERE name = ?", [name]).fetchone()
        return str(row[0]) if row is not None else None

    def salt(self) -> str:
        """A secret of this store, for pseudonyms that stay the same from run to run."""
        self._base.execute("INSERT OR IGNORE INTO meta VALUES ('salt', ?)", [secrets.token_hex(16)])
        return self.setting("salt") or ""

    def close(self) -> None:
        self._base.close()
        _unlock(self._lock)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._base.execute("BEGIN IMMEDIATE")
        try:
            yield self._base
        except BaseException:
            self._base.execute("ROLLBACK")
            raise
        self._base.execute("COMMIT")


def _values(entry: Entry) -> list[object]:
    handed = entry.handed
    at = handed.handed_at.isoformat() if handed.handed_at is not None else None
    place = str(handed.place).encode(errors="replace").decode()  # a name need not be text
    return [handed.student, entry.digest, handed.name, place, at, handed.marked_late]


def _not_ours(path: Path, why: str) -> UsageError:
    return UsageError(
        Text(
            f"{path} is not a store of this version of the kit ({why}): use another --out, or move it away",
            f"{path} 不是本版本评分工具的数据库（{why}）：请换一个 --out，或移走该文件",
        )
    )


def _lock(path: Path) -> int:
    """A lock that ends with this process, however it ends, and that its forks do not share."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise UsageError(
            Text(f"cannot write {path}: {error.strerror}", f"无法写入 {path}：{error.strerror}")
        ) from error
    try:
        import fcntl
    except ImportError:  # Windows: SQLite's own locks are all there is
        return handle
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        raise UsageError(
            Text(
                f"another run is writing to {path.parent}: wait for it, or use another --out",
                f"另一次运行正在写入 {path.parent}：请等待其结束，或换一个 --out",
            )
        ) from error
    return handle


def _unlock(handle: int) -> None:
    with contextlib.suppress(OSError):
        os.close(handle)
