"""The suite that the benchmark gives to others asks something: right code passes, wrong code does not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.peers import SUITE
from tests.support import ROOT

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("folder", "code"), [("solutions", 0), ("skeletons", 1)])
def test_the_plain_suite(tmp_path: Path, folder: str, code: int) -> None:
    shutil.copytree(ROOT / folder, tmp_path / "work")
    shutil.copy(SUITE, tmp_path / "work")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", SUITE.name]
    ran = subprocess.run(command, cwd=tmp_path / "work", capture_output=True, text=True, check=False)
    assert ran.returncode == code, ran.stdout
