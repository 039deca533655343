"""`grade init`, `grade list`, `grade doctor`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import grader.cli.doctor as doctor_module
from grader.cli.files import create_only, write_atomically
from grader.data import skeleton_folder
from grader.errors import UsageError
from grader.exercises.registry import all_exercises
from grader.reports.doctor import Health

Call = Callable[..., Result]


def test_init_copies_every_skeleton(call: Call, tmp_path: Path) -> None:
    target = tmp_path / "new" / "work"
    result = call("init", target)
    assert result.exit_code == 0
    names = {p.name for p in skeleton_folder().glob("*.py")}
    assert {p.name for p in target.iterdir()} == {*names, ".grade"}
    assert (target / "attention.py").read_bytes() == (skeleton_folder() / "attention.py").read_bytes()
    assert result.output.startswith("created  attention.py\n")
    assert "grade run attention --path" in result.output


def test_init_never_overwrites(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "attention.py").write_text("my work")
    (tmp_path / "masks.py").mkdir()
    for _ in range(2):
        result = call("init")
        assert result.exit_code == 0
        assert "kept     attention.py" in result.output
        assert "kept     masks.py" in result.output
        assert (tmp_path / "attention.py").read_text() == "my work"
    assert "created" not in result.output


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need a right there")
def test_init_does_not_write_through_a_link(call: Call, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.py"
    work = tmp_path / "work"
    work.mkdir()
    (work / "attention.py").symlink_to(elsewhere)
    assert call("init", work).exit_code == 0
    assert not elsewhere.exists()


def test_init_into_a_file_is_an_error(call: Call, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = call("init", tmp_path / "file")
    assert result.exit_code == 2
    assert result.output.startswith("grade: cannot make the folder")


def test_list_shows_how_far_each_file_is(call: Call, tmp_path: Path) -> None:
    (tmp_path / "attention.py").write_text(
        "def scaled_dot_product_attention(query, key, value):\n    return 1\n"
    )
    (tmp_path / "masks.py").write_text("def broken(:\n")
    result = call("list", "--path", tmp_path)
    assert result.exit_code == 0
    rows = re.findall(r"^ *\d+ +(\w+) .*", result.output, re.MULTILINE)
    assert rows == [e.id for e in all_exercises()]
    assert " written" in result.output.splitlines()[0]
    if len(all_exercises()) > 1:
        assert "cannot be read (:1)" in result.output
    (tmp_path / "attention.py").write_bytes((skeleton_folder() / "attention.py").read_bytes())
    assert "to do (:" in call("list", "--path", tmp_path).output
    assert "待完成" in call("list", "--path", tmp_path, "--lang", "zh").output


def test_list_of_an_empty_folder(call: Call, tmp_path: Path) -> None:
    result = call("list", "--path", tmp_path)
    assert result.exit_code == 0
    assert "not there" in result.output


def test_doctor_exits_0_even_where_nothing_works(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_module, "_examine", lambda: Health((("grade", "0.1.0"),), "here", "cpu", None))
    result = call("doctor")
    assert result.exit_code == 0
    assert "no worker starts" in result.output


def test_create_only(tmp_path: Path) -> None:
    assert create_only(tmp_path / "a", b"1")
    assert not create_only(tmp_path / "a", b"2")
    assert (tmp_path / "a").read_bytes() == b"1"
    with pytest.raises(UsageError):
        create_only(tmp_path / "absent" / "a", b"1")


def test_write_atomically(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a", "中文\n")
    write_atomically(tmp_path / "a", "second\n")
    assert (tmp_path / "a").read_bytes() == b"second\n"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    with pytest.raises(UsageError):
        write_atomically(tmp_path / "absent" / "a", "")
