"""The command in the real world: a reader that leaves, a full disk, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader.data import skeleton_folder

COMMAND = [sys.executable, "-m", "grader.cli", "run", "--lang", "en"]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX signals and pipes")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "attention.py").write_bytes((skeleton_folder() / "attention.py").read_bytes())
    return tmp_path


def test_a_reader_that_leaves_early(folder: Path) -> None:
    words = ["bash", "-c", '"$@" | head -1', "bash", *COMMAND]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_json_to_a_pipe_is_json_only(folder: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "--json", "-"], cwd=folder, capture_output=True, encoding="utf-8", timeout=120
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["exercises"][0]["status"] == "incomplete"
    assert done.stderr.startswith(folder.name)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux")
@pytest.mark.parametrize("more", [[], ["--json", "-"]])
def test_a_full_disk_is_no_fault_of_the_kit(folder: Path, more: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, *more], cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120
        )
    assert done.returncode == 2
    assert done.stderr == "grade: the output cannot be written: No space left on device\n"


def test_control_c_leaves_nothing_behind(folder: Path) -> None:
    """While the learner's file is being imported, which never ends."""
    (folder / "attention.py").write_text("while True:\n    pass\n", encoding="utf-8")
    running = subprocess.Popen(
        COMMAND,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    try:
        _wait_for_a_worker(folder)
        running.send_signal(signal.SIGINT)
        said, errors = running.communicate(timeout=30)
    finally:
        running.kill()
        running.wait()
    assert (running.returncode, said, errors.strip()) == (130, "", "grade: stopped")
    assert os.listdir(folder) == ["attention.py"]  # the worker's scratch folder is gone
    with pytest.raises(ProcessLookupError):
        os.killpg(running.pid, 0)


def _wait_for_a_worker(folder: Path) -> None:
    """Until its scratch folder is there, and it has had time to load the file."""
    until = time.monotonic() + 60
    while not list(folder.glob("grade-*")):
        assert time.monotonic() < until
        time.sleep(0.05)
    time.sleep(0.5)
