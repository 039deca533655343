"""What starting a worker takes of the machine, and one sentence when the machine does not have it."""

from __future__ import annotations

import errno
import os
import socket
import tempfile

from grader.errors import MachineError
from grader.text import Text

__all__ = ["new_pair", "new_scratch", "no_room", "too_many_files"]


def too_many_files() -> OSError:
    """The error of a process that may not open another file."""
    return OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def new_scratch() -> str:
    """A folder for one worker; `MachineError` where none can be made."""
    try:
        return tempfile.mkdtemp(prefix="grade-")
    except OSError as error:
        raise no_room(error) from error


def new_pair() -> tuple[socket.socket, socket.socket]:
    """Two ends of a socket; `MachineError` where no more files may be opened."""
    try:
        return socket.socketpair()
    except OSError as error:
        raise no_room(error) from error


def no_room(error: OSError) -> MachineError:
    """What this machine lacks to start a submission, and what to do about it."""
    why = error.strerror or type(error).__name__
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return MachineError(
            Text(
                f"nothing can be run: {why}; allow more open files (`ulimit -n 1024` is enough)",
                f"无法运行任何代码：{why}；请允许打开更多文件（`ulimit -n 1024` 就够了）",
            )
        )
    place = tempfile.tempdir or os.environ.get("TMPDIR", "/tmp")
    return MachineError(
        Text(
            f"nothing can be run: no folder can be made in {place} ({why}); make room there, or set TMPDIR "
            "to another place",
            f"无法运行任何代码：不能在 {place} 中建立文件夹（{why}）；请腾出空间，或把 TMPDIR 设为别处",
        )
    )
