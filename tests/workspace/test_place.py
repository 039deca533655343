"""A workspace: made once, found, moved, and what is backed up in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.data import skeleton_folder
from grader.errors import UsageError
from grader.workspace.place import Workspace
from grader.workspace.resetting import reset_to_skeleton


def test_nothing_is_a_workspace_until_it_is_made_one(tmp_path: Path) -> None:
    assert Workspace.find(tmp_path) is None
    assert Workspace.find(tmp_path / "absent") is None
    Workspace.make(tmp_path)
    Workspace.make(tmp_path)
    found = Workspace.find(tmp_path)
    assert found is not None
    assert [e.kind for e in found.events()] == ["init"]
    assert (tmp_path / ".grade" / ".gitignore").read_text() == "*\n"


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need a right there")
def test_a_link_is_no_workspace(tmp_path: Path) -> None:
    Workspace.make(tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".grade").symlink_to(tmp_path / ".grade")
    assert Workspace.find(tmp_path / "other") is None


def test_progress_survives_moving_the_folder(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "a new place"
    old.mkdir()
    Workspace.make(old).record("mine", words="中文", number=3)
    old.rename(new)
    moved = Workspace.find(new)
    assert moved is not None
    moved.record("mine")
    first, second = moved.events("mine")
    assert (first.word("words"), first.number("number"), first.word("number")) == ("中文", 3.0, "")
    assert second.time >= first.time
    assert all(str(tmp_path).encode() not in p.read_bytes() for p in (new / ".grade").iterdir())


def test_events_without_kind_or_time_are_passed_over(tmp_path: Path) -> None:
    workspace = Workspace.make(tmp_path)
    workspace.journal.append(
        [{"t": 1}, {"kind": 3, "t": 1}, {"kind": "x", "t": "1"}, {"kind": "y", "t": True}]
    )
    assert [e.kind for e in workspace.events()] == ["init"]


def test_backups_never_overwrite_each_other(tmp_path: Path) -> None:
    workspace = Workspace.make(tmp_path)
    places = {workspace.backup("masks.py", text) for text in (b"1", b"2", b"3")}
    assert len(places) == 3
    assert {p.read_bytes() for p in places} == {b"1", b"2", b"3"}
    assert all(p.name.startswith("masks.") and p.suffix == ".py" for p in places)


def test_reset_keeps_what_was_there(tmp_path: Path) -> None:
    workspace = Workspace.make(tmp_path)
    target, skeleton = tmp_path / "masks.py", (skeleton_folder() / "masks.py").read_bytes()
    target.write_bytes(b"my work\xff")
    target.chmod(0o600)
    done = reset_to_skeleton(workspace, "masks")
    assert target.read_bytes() == skeleton
    assert done.backup is not None
    assert (tmp_path / done.backup).read_bytes() == b"my work\xff"
    assert done.backup in done.words().en
    assert done.backup in done.words().zh
    assert os.name == "nt" or target.stat().st_mode & 0o777 == 0o600
    assert reset_to_skeleton(workspace, "masks").same
    target.unlink()
    assert reset_to_skeleton(workspace, "masks").backup is None
    assert target.read_bytes() == skeleton
    assert [e.word("exercise") for e in workspace.events("reset")] == ["masks", "masks"]


def test_reset_that_cannot_be_done_changes_nothing(tmp_path: Path) -> None:
    workspace = Workspace.make(tmp_path)
    (tmp_path / "masks.py").mkdir()
    with pytest.raises(UsageError, match="nothing was changed"):
        reset_to_skeleton(workspace, "masks")
    (tmp_path / "attention.py").write_text("mine")
    (tmp_path / ".grade" / "backups").write_text("in the way")
    with pytest.raises(UsageError):
        reset_to_skeleton(workspace, "attention")
    assert (tmp_path / "attention.py").read_text() == "mine"
    assert workspace.events("reset") == []
