"""Ctrl-C while a model learns: one sentence, and nothing is left running or lying about."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.learning.making import TRAINING
from tests.learning.test_judging import solutions
from tests.support import ROOT
from tests.wall.test_interrupted import assert_nothing_left

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


def test_ctrl_c_while_a_step_does_not_end(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (tmp_path / "tmp").mkdir()
    work.mkdir()
    texts = solutions()
    texts[TRAINING] = texts[TRAINING].replace("    model.train()\n", "    while True:\n        pass\n", 1)
    for name, text in texts.items():
        (work / name).write_text(text, encoding="utf-8")
    environment = {
        **os.environ,
        "TMPDIR": str(tmp_path / "tmp"),
        "PYTHONPATH": str(ROOT),
        "LC_ALL": "C.UTF-8",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "grader", "train", "copy", "--call-seconds", "60"],
        cwd=work,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with pytest.raises(subprocess.TimeoutExpired):
        process.communicate(timeout=6)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (out, err.strip()) == ("", "grade: stopped")
    assert_nothing_left(tmp_path)
