"""The journal: two writers at once, a line that a crash tore, and files that are none of ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.workspace.journal import Journal

WRITER = """
import sys
from pathlib import Path
from grader.workspace.journal import Journal
journal = Journal(Path(sys.argv[1]))
for number in range(100):
    assert journal.append([{"who": sys.argv[2], "number": number, "long": "x" * 5000}])
"""


def test_rows_come_back_in_order(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    assert journal.rows() == []
    assert journal.append([{"a": 1}, {"b": "中文\n"}])
    assert journal.append([{"c": None}])
    assert journal.rows() == [{"a": 1}, {"b": "中文\n"}, {"c": None}]
    assert journal.append([])


def test_two_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "j"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), who]) for who in "ab"]
    assert [w.wait(60) for w in writers] == [0, 0]
    rows = Journal(path).rows()
    for who in "ab":
        assert [r["number"] for r in rows if r["who"] == who] == list(range(100))
    assert len(rows) == path.read_bytes().count(b"\n") == 200


@pytest.mark.parametrize("torn", [b'{"a": 2, "b', b'{"a": 2', b"\0\0\0\0", b"\xff\xfe{"])
def test_a_torn_line_costs_only_itself(tmp_path: Path, torn: bytes) -> None:
    journal = Journal(tmp_path / "j")
    journal.append([{"a": 1}])
    with journal.path.open("ab") as file:
        file.write(torn)
    assert journal.rows() == [{"a": 1}]
    assert journal.append([{"a": 3}])
    assert journal.rows() == [{"a": 1}, {"a": 3}]


def test_lines_that_are_no_objects_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "j"
    deep = "[" * 100_000
    path.write_text(f'[1]\n"x"\n{deep}\n\n{{"a": 1}}\n{{"a": NaN}}\n', encoding="utf-8")
    assert [list(row) for row in Journal(path).rows()] == [["a"], ["a"]]


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    assert not Journal(tmp_path / "absent" / "j").append([{"a": 1}])
    (tmp_path / "folder").mkdir()
    assert not Journal(tmp_path / "folder").append([{"a": 1}])
    assert Journal(tmp_path / "folder").rows() == []


@pytest.mark.skipif(os.name == "nt", reason="links and pipes")
def test_a_link_or_a_pipe_in_its_place_is_left_alone(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine\n")
    (tmp_path / "link").symlink_to(victim)
    assert not Journal(tmp_path / "link").append([{"a": 1}])
    assert victim.read_text() == "mine\n"
    os.mkfifo(tmp_path / "pipe")
    assert not Journal(tmp_path / "pipe").append([{"a": 1}])
    assert Journal(tmp_path / "pipe").rows() == []


@pytest.mark.skipif(os.name == "nt", reason="POSIX locks")
def test_a_lock_that_is_never_given_back_does_not_block_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    monkeypatch.setattr("grader.workspace.journal.PATIENCE", 0.05)
    journal = Journal(tmp_path / "j")
    with journal.path.open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert journal.append([{"a": 1}])
    assert json.loads(journal.path.read_text()) == {"a": 1}
