"""The store: nothing twice, nothing lost, nothing mixed up; and one run at a time."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from grader.course.records import Graded
from grader.course.store import Entry, Store
from grader.course.storing import graded_from_bytes, graded_to_bytes
from grader.errors import UsageError
from grader.text import Text
from tests.course.making import a_graded, a_handed, result_of

RIGHT = a_graded(result_of("attention"))
WRONG = a_graded(result_of("attention", ["missing-scale"]))
BROKEN = Graded(None, Text("it broke", "坏了"), True, 0.2)


def entry(student: str, digest: str, **more: object) -> Entry:
    return Entry(a_handed(student, Path(student), **more), digest)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


def test_a_result_is_the_same_after_storing() -> None:
    odd = replace(result_of("masks"), printed="\ud800\x1b[2J", note=Text("a", "甲"))
    for graded in (RIGHT, WRONG, BROKEN, a_graded(odd)):
        assert graded_from_bytes(graded_to_bytes(graded)) == graded
    for data in (b"", b"nothing", graded_to_bytes(RIGHT)[:40]):
        with pytest.raises(ValueError, match="no stored result"):
            graded_from_bytes(data)


def test_the_same_content_is_one_job_and_each_has_a_row(path: Path) -> None:
    with Store(path) as store:
        store.enter([entry("b", "x"), entry("a", "x"), entry("c", "y")])
        assert store.waiting() == ["x", "y"]
        store.started("x", "w")
        store.finished("x", WRONG, "w")
        assert [(r.student, r.stored is not None) for r in store.rows()] == [
            ("a", True),
            ("b", True),
            ("c", False),
        ]
        assert store.counts() == {"queued": 1, "grading": 0, "done": 2}


def test_what_was_being_graded_waits_again_and_what_was_done_stays(path: Path) -> None:
    with Store(path) as store:
        store.enter([entry("a", "x"), entry("b", "y"), entry("c", "z")])
        store.finished("x", RIGHT)
        store.started("y", "w")
    with Store(path) as store:
        store.enter([entry("a", "x"), entry("b", "y"), entry("c", "z")])
        assert store.waiting() == ["y", "z"]


def test_a_submission_that_changes_is_graded_and_its_old_result_found_again(path: Path) -> None:
    with Store(path) as store:
        store.enter([entry("a", "old")])
        store.finished("old", WRONG)
        store.enter([entry("a", "new")])
        assert store.waiting() == ["new"]
        store.finished("new", RIGHT)
        assert [r.digest for r in store.rows()] == ["new"]
        store.enter([entry("a", "old"), entry("b", "new")])  # back again, and another's
        assert store.waiting() == []
        stored = [graded_from_bytes(r.stored) for r in store.rows() if r.stored is not None]
        assert stored == [WRONG, RIGHT]


def test_again_grades_everything_and_a_fault_of_the_kit_is_tried_again(path: Path) -> None:
    both = [entry("a", "x"), entry("b", "y")]
    with Store(path) as store:
        store.enter(both)
        store.finished("x", RIGHT)
        store.finished("y", BROKEN)
        store.enter(both)
        assert store.waiting() == ["y"]
        store.enter(both, again=True)
        assert store.waiting() == ["x", "y"]


def test_who_is_gone_is_in_no_batch_but_not_forgotten(path: Path) -> None:
    with Store(path) as store:
        store.enter([entry("a", "x"), entry("b", "y")])
        store.finished("x", RIGHT)
        store.enter([entry("b", "y")])
        assert [r.student for r in store.rows()] == ["b"]
        store.enter([entry("a", "x")])
        assert store.waiting() == []


def test_what_is_known_of_a_submission_comes_back(path: Path) -> None:
    at = datetime(2027, 3, 1, 10, tzinfo=timezone.utc)
    with Store(path) as store:
        store.enter([entry("a", "x", handed_at=at, marked_late=True)])
        (row,) = store.rows()
        assert (row.handed_at, row.marked_late) == (at, True)
        assert store.salt() == store.salt()


def test_a_second_run_is_refused(path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from grader.course.store import Store;"
        "from grader.errors import UsageError\n"
        "try: Store(Path(sys.argv[1]))\n"
        "except UsageError as error: print(error.text.en)"
    )
    with Store(path):
        ran = subprocess.run(
            [sys.executable, "-c", program, path], capture_output=True, text=True, check=True
        )
    assert "another run is writing" in ran.stdout
    Store(path).close()  # free again


def test_another_file_is_not_written_over(path: Path) -> None:
    path.write_bytes(b"my notes, " * 200)
    with pytest.raises(UsageError, match="not a store of this version"):
        Store(path)
    assert path.read_bytes() == b"my notes, " * 200


def test_a_store_of_another_version_is_refused(path: Path) -> None:
    Store(path).close()
    base = sqlite3.connect(path)
    base.execute("UPDATE meta SET value = '99' WHERE name = 'version'")
    base.commit()
    base.close()
    with pytest.raises(UsageError, match="version 99"):
        Store(path)


def test_the_store_is_in_wal_mode(path: Path) -> None:
    with Store(path):
        base = sqlite3.connect(path)
        assert base.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        base.close()
