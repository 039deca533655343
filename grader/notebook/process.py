"""The process that grades for a kernel: started at the first call, kept warm, ended with the kernel.

Requests and replies are one line of JSON each, over pipes.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import grader
from grader.errors import KitError
from grader.text import Text

__all__ = ["GradingProcess", "shared_process"]

# without the notebook's folder: a file there must not stand in for a module of ours
START = """
import sys
if sys.path[:1] == [""]:
    del sys.path[0]
sys.path.append(sys.argv[1])
from grader.notebook.server import main
main()
"""


class GradingProcess:
    """Grades one request after another; a new process takes over where one was stopped or has ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to a request.  A `KeyboardInterrupt` ends the process, and is raised again."""
        for _ in range(2):  # an idle process may have been ended by somebody else
            process = self._started()
            try:
                reply = self._exchange(process, request)
            except BaseException:
                self.close()
                raise
            if reply is not None:
                return reply
            self.close()
        raise KitError(
            Text(
                "the process that grades has ended (too little memory?): restart the kernel and try again",
                "评分进程已结束（内存不足？）：请重启内核后再试",
            )
        )

    def close(self) -> None:
        """Ends the process with all that it has started."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():  # a fork of the kernel leaves it alone
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGTERM)
            else:
                process.terminate()
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._owner == os.getpid() and self._process.poll() is None:
            return self._process
        if self._owner != os.getpid():
            self._process, self._owner = None, os.getpid()
        here = str(Path(grader.__file__).resolve().parent.parent)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", START, here],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the kernel, which tells us
            )
        except (OSError, ValueError, RuntimeError) as error:
            why = str(error) or type(error).__name__
            raise KitError(
                Text(
                    f"grading needs a process of its own, which cannot be started here: {why}",
                    f"评分需要一个独立的进程，但这里无法启动：{why}",
                )
            ) from error
        return self._process

    @staticmethod
    def _exchange(process: subprocess.Popen[bytes], request: dict[str, Any]) -> dict[str, Any] | None:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:  # a closed pipe
            return None
        try:
            reply = json.loads(line)
        except ValueError:
            return None
        return reply if isinstance(reply, dict) else None


_SHARED = GradingProcess()
atexit.register(_SHARED.close)


def shared_process() -> GradingProcess:
    """The one of this kernel."""
    return _SHARED
