"""Exit codes on real files: 0 all passed, 1 not all, 2 nothing that could be graded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = {
    "a syntax error": ("def scaled_dot_product_attention(:\n", 2),
    "an empty file": ("", 2),
    "an exception at import": ("raise ValueError('no')\n", 2),
    "a skeleton": ((ROOT / "skeletons" / "attention.py").read_text(encoding="utf-8"), 1),
}


def run(path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grader", "run", str(path), "--lang", "en"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", FILES)
def test_exit_code_of_one_file(tmp_path: Path, name: str) -> None:
    text, code = FILES[name]
    folder = tmp_path / "with a space"
    folder.mkdir()
    (folder / "attention.py").write_text(text, encoding="utf-8")
    done = run(folder)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_others_are_graded_beside_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "attention.py").write_bytes("# 缩放点积注意力\n".encode("gbk"))
    (tmp_path / "masks.py").write_text((ROOT / "solutions" / "masks.py").read_text(encoding="utf-8"))
    done = run(tmp_path)
    assert done.returncode == 1
    assert "UTF-8" in done.stdout
    assert "12/12" in done.stdout
