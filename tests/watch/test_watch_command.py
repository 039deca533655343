"""`grade watch` as a learner has it: a real terminal, real files, a real grading."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.data import skeleton_folder, solution_folder
from grader.notebook.skeletons import skeleton_notebook
from grader.workspace.place import Workspace
from grader.workspace.runs import runs_of
from tests.support import ROOT

if sys.platform == "win32":
    pytest.skip("POSIX terminals", allow_module_level=True)

COMMAND = [sys.executable, "-m", "grader.cli", "watch", "--lang", "en"]
PATIENCE = 120.0  # a busy machine takes its time to import torch


class Learner:
    """Somebody before a terminal of 80 columns."""

    def __init__(self, folder: Path, *words: str) -> None:
        import fcntl
        import pty
        import struct
        import termios

        self.folder = folder
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
            os.chdir(folder)
            os.environ.update(TERM="xterm", PYTHONPATH=str(ROOT))
            os.execv(COMMAND[0], [*COMMAND, *words])
        self.said = ""

    def sees(self, words: str) -> str:
        """Waits until this is said; what was said before it is forgotten."""
        until = time.monotonic() + PATIENCE
        while words not in self.said:
            assert select.select([self.fd], [], [], max(0.0, until - time.monotonic()))[0], self.said
            self.said += os.read(self.fd, 65536).decode("utf-8", "replace")
        before, _, self.said = self.said.partition(words)
        return before

    def types(self, words: str) -> None:
        os.write(self.fd, words.encode())

    def leaves(self) -> int:
        """The exit code."""
        while True:
            try:
                if not os.read(self.fd, 65536):
                    break
            except OSError:  # the terminal is closed with its last process
                break
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def ends(self) -> None:
        """Whatever has become of it."""
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)

    def save(self, name: str, data: bytes) -> None:
        """As many editors do: beside the file, then renamed."""
        (self.folder / "new").write_bytes(data)
        (self.folder / "new").rename(self.folder / name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    work = tmp_path / "my work"
    work.mkdir()
    Workspace.make(work)
    for name in ("attention", "masks"):
        (work / f"{name}.py").write_bytes((skeleton_folder() / f"{name}.py").read_bytes())
    return work


@pytest.fixture
def learner(folder: Path) -> Iterator[Learner]:
    found = Learner(folder, "attention", "masks")
    yield found
    found.ends()


def test_from_the_first_save_to_the_end(learner: Learner, folder: Path) -> None:
    learner.sees("not written yet: the TODO at attention.py")
    learner.save("attention.py", (ROOT / "examples" / "first-try" / "attention.py").read_bytes())
    learner.sees("The scores are not divided by sqrt(d_k)")
    learner.sees("0/2")
    learner.types("h")
    learner.sees("Hint 2 of 3")
    learner.save("attention.py", (solution_folder() / "attention.py").read_bytes())
    learner.sees("attention passed, 20/20")
    learner.sees("1/2")
    learner.sees("masks.py")
    learner.types("q")
    assert learner.leaves() == 0
    workspace = Workspace.find(folder)
    assert workspace is not None
    assert [r.status for r in runs_of(workspace) if r.exercise == "attention"] == [
        "incomplete",
        "failed",
        "passed",
    ]


def test_a_notebook(tmp_path: Path) -> None:
    """Saved by Jupyter; traced and reset with a key."""
    Workspace.make(tmp_path)
    name, first = "transformer.ipynb", ROOT / "examples" / "first-try" / "attention.py"
    skeleton = skeleton_notebook("en")
    (tmp_path / name).write_text(skeleton, encoding="utf-8")
    learner = Learner(tmp_path, "attention", "masks")
    try:
        learner.sees(f"not written yet: the TODO at {name}[cell 2]:")
        content = json.loads(skeleton)
        content["cells"][3]["source"] = first.read_text(encoding="utf-8").splitlines(keepends=True)
        learner.save(name, json.dumps(content, indent=1).encode())
        learner.sees("The scores are not divided by sqrt(d_k)")
        learner.sees("0/2")
        learner.types("t")
        learner.sees("The first line that is not right: ")
        learner.sees(f"{name}[cell 2]:")  # a link
        learner.types(" ")
        learner.sees("0/2")
        learner.types("r")
        learner.sees(f"Put attention in {name} back to the skeleton?")
        learner.types("y")
        learner.sees("is the skeleton again")
        assert json.loads((tmp_path / name).read_text(encoding="utf-8")) == json.loads(skeleton)
        learner.types("q")
        assert learner.leaves() == 0
    finally:
        learner.ends()


@pytest.mark.slow
def test_control_c_leaves_nothing_running(learner: Learner, folder: Path) -> None:
    """While a file is graded that never ends."""
    learner.sees("not written yet")
    learner.save("attention.py", b"while True:\n    pass\n")
    learner.sees("grading attention")
    learner.types("\x03")
    learner.sees("grade: stopped")
    assert learner.leaves() == 130
    with pytest.raises(ProcessLookupError):
        os.killpg(learner.pid, 0)


@pytest.mark.slow
def test_a_pipe_gets_the_verdicts_as_they_come(folder: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "attention"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as running:
        assert running.stdout is not None
        first = running.stdout.readline()
        (folder / "attention.py").write_bytes((solution_folder() / "attention.py").read_bytes())
        said = ""
        while "1/1" not in said:
            said += running.stdout.readline()
        running.terminate()
        assert running.wait(60) == 128 + signal.SIGTERM
    assert "to do" in first
    assert "attention passed" in said
    assert "\x1b" not in first + said
    assert "quit" not in said


@pytest.mark.slow
def test_a_folder_that_goes_away_is_said(folder: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "--path", str(folder), "attention"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as running:
        assert running.stdout is not None
        running.stdout.readline()
        folder.rename(folder.with_name("elsewhere"))
        _, errors = running.communicate(timeout=60)
    assert running.returncode == 2
    assert errors.startswith("grade: ")
    assert "the folder is gone" in errors
