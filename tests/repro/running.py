"""Runs programs beside a learner's file: each in a process of its own, without importing torch each time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

PROGRAM = "small.py"
# Reads folders, one a line; runs the program in each in a fork of itself; answers with what it printed.
DRIVER = f"""
import json, os, runpy, sys, tempfile
import torch
torch.set_num_threads(1)
for line in sys.stdin:
    folder = line.strip()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(out.fileno(), 2)
            os.chdir(folder)
            sys.path.insert(0, folder)
            code = 1
            try:
                runpy.run_path({PROGRAM!r}, run_name="__main__")
                code = 0
            except BaseException:
                import traceback
                traceback.print_exc()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        _, status = os.waitpid(pid, 0)
        out.seek(0)
        print(json.dumps([os.waitstatus_to_exitcode(status), out.read()]), flush=True)
"""


class Runner:
    """Runs what stands in a folder as ``small.py``."""

    def __init__(self) -> None:
        self._driver: subprocess.Popen[str] | None = None

    def __enter__(self) -> Runner:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._driver is not None:
            self._driver.communicate()

    def run(self, folder: Path, program: str, files: Sequence[tuple[str, bytes]]) -> tuple[int, str]:
        """The exit code and all that was printed."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / PROGRAM).write_text(program, encoding="utf-8")
        for name, data in files:
            (folder / name).write_bytes(data)
        if not hasattr(os, "fork"):
            return plainly(folder)
        if self._driver is None:
            self._driver = subprocess.Popen(
                [sys.executable, "-B", "-c", DRIVER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
            )
        assert self._driver.stdin is not None
        assert self._driver.stdout is not None
        self._driver.stdin.write(f"{folder}\n")
        self._driver.stdin.flush()
        code, output = json.loads(self._driver.stdout.readline())
        return code, output


def plainly(folder: Path) -> tuple[int, str]:
    """The same as a learner does it: ``python small.py``."""
    done = subprocess.run(
        [sys.executable, "-B", PROGRAM],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        check=False,
    )
    return done.returncode, done.stdout
