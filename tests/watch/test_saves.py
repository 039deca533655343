"""Saves are noticed, however an editor makes them, with notices and by looking."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.watch.saves import Saves, needs_looking


@pytest.fixture(params=[False, True], ids=["notices", "looking"])
def saves(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Saves]:
    (tmp_path / "masks.py").write_text("1")
    with Saves(tmp_path, lambda: None, poll=request.param) as found:
        time.sleep(0.6)  # until the thread watches
        found.take()
        yield found


def seen(saves: Saves, *names: str) -> set[str]:
    """What came within some seconds, or as soon as these names did."""
    found: set[str] = set()
    until = time.monotonic() + 10
    while not found >= set(names) and time.monotonic() < until:
        found |= saves.take()
        time.sleep(0.02)
    return found


def test_written_renamed_and_removed(saves: Saves) -> None:
    folder = saves.folder
    (folder / "masks.py").write_text("12")
    assert seen(saves, "masks") == {"masks"}
    (folder / ".masks.py.swp").write_text("x")
    (folder / "4913").write_text("x")
    (folder / "masks.py~").write_text("x")
    (folder / "new").write_text("y" * 3)
    (folder / "new").rename(folder / "attention.py")
    assert seen(saves, "attention") == {"attention"}
    (folder / "masks.py").unlink()
    assert seen(saves, "masks") >= {"masks"}


def test_the_second_of_two_quick_saves_counts(saves: Saves) -> None:
    for text in ("x", "y", "z"):
        (saves.folder / "masks.py").write_text(text)
        assert seen(saves, "masks") == {"masks"}


def test_it_wakes_whoever_waits(tmp_path: Path) -> None:
    woken = threading.Event()
    with Saves(tmp_path, woken.set) as saves:
        time.sleep(0.3)
        (tmp_path / "masks.py").write_text("1")
        assert woken.wait(10)
        assert saves.waiting


def test_without_notices_it_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the system has given out all its notices."""
    import watchfiles

    def limited(*paths: object, **more: object) -> object:
        raise OSError(28, "OS file watch limit reached")

    monkeypatch.setattr(watchfiles, "watch", limited)
    with Saves(tmp_path, lambda: None) as saves:
        time.sleep(0.5)
        (tmp_path / "masks.py").write_text("1")
        assert seen(saves, "masks") == {"masks"}
        assert saves.poll


def test_a_folder_that_cannot_be_watched_is_said(tmp_path: Path) -> None:
    woken = threading.Event()
    with Saves(tmp_path / "absent", woken.set) as saves:
        assert woken.wait(10)
        assert saves.problem is not None


MOUNTS = """
/dev/sda1 / ext4 rw 0 0
server:/home {far} nfs4 rw 0 0
host {far}/local\\040disk tmpfs rw 0 0
sshfs {near}/remote fuse.sshfs rw 0 0
"""


def test_far_file_systems_are_looked_at(tmp_path: Path) -> None:
    far, near = tmp_path / "far", tmp_path / "near"
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS.format(far=far.resolve(), near=near.resolve()))
    assert needs_looking(far / "work", mounts)
    assert needs_looking(near / "remote" / "work", mounts)
    assert not needs_looking(far / "local disk", mounts)
    assert not needs_looking(near, mounts)
    assert not needs_looking(near, tmp_path / "absent")
