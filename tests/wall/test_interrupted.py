"""Ctrl-C at any moment: the report is whole or there is none, and nothing is left running or lying about."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader.exercises.registry import all_exercises
from tests.support import ROOT

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
PATIENCE = 20.0


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """`grade run`, at home in `folder`: whatever it starts has its working directory there too."""
    (folder / "tmp").mkdir(exist_ok=True)
    (folder / "work").mkdir(exist_ok=True)
    environment = {**os.environ, "TMPDIR": str(folder / "tmp"), "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"}
    command = [sys.executable, "-m", "grader", "run", "--path", str(ROOT / "solutions"), *arguments]
    return subprocess.Popen(
        command,
        cwd=folder / "work",
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def processes_in(folder: Path) -> list[str]:
    """The processes whose working directory is below a folder (or was, and is removed)."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.readlink(entry / "cwd").startswith(str(folder)):
                    found.append(f"{entry.name} {(entry / 'cmdline').read_text()[:80]}")
            except OSError:
                continue
    return found


def assert_nothing_left(folder: Path) -> None:
    until = time.monotonic() + PATIENCE
    while (running := processes_in(folder)) and time.monotonic() < until:
        time.sleep(0.02)
    assert not running
    while (left := _left_in(folder)) and time.monotonic() < until:
        time.sleep(0.02)
    assert not left


def _left_in(folder: Path) -> list[str]:
    return [p.name for p in (folder / "tmp").iterdir() if p.name != "grade-hypothesis"]


def assert_honest(process: subprocess.Popen[str]) -> None:
    """Either everything was graded, or the exit code and one sentence say that nothing was."""
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    if process.returncode == 0:
        graded = json.loads(out)["exercises"]
        assert len(graded) == len(all_exercises())
        assert all(e["status"] == "passed" for e in graded)
        return
    assert process.returncode in (130, -signal.SIGINT), (process.returncode, err)
    assert not out
    if process.returncode == 130:
        assert err.splitlines()[-1:] in (["grade: stopped"], [])


def interrupt(folder: Path, moment: float, *, group: bool, times: int = 1) -> None:
    process = start(folder, "--json", "-")
    time.sleep(moment)
    for _ in range(times):
        if process.poll() is None:
            (os.killpg if group else os.kill)(process.pid, signal.SIGINT)
            time.sleep(0.01)
    assert_honest(process)
    assert_nothing_left(folder)


@pytest.mark.parametrize("moment", [1.7])
def test_ctrl_c(tmp_path: Path, moment: float) -> None:
    """As a terminal does it: to everything that was started."""
    interrupt(tmp_path, moment, group=True)


def test_interrupted_alone(tmp_path: Path) -> None:
    """As another program does it: to the grader alone."""
    interrupt(tmp_path, 2.0, group=False)


def test_killed(tmp_path: Path) -> None:
    """What the grader started ends without it, and what it did not live to remove is removed."""
    process = start(tmp_path, "--json", "-")
    time.sleep(2.2)
    process.kill()
    process.communicate()
    assert_nothing_left(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(24))
def test_ctrl_c_at_random(tmp_path: Path, number: int) -> None:
    chance = random.Random(number)
    interrupt(
        tmp_path, chance.uniform(0.05, 4.0), group=chance.random() < 0.5, times=chance.choice([1, 1, 3])
    )
