"""Writing files so that nothing is lost: all or nothing, and never over work that is there."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

from grader.errors import UsageError
from grader.text import Text

__all__ = [
    "STDOUT",
    "append",
    "create_only",
    "must_be_writable",
    "must_differ",
    "write_atomically",
    "write_json",
]

STDOUT = "-"


def write_atomically(path: Path, text: str) -> None:
    """Writes beside the file and renames: a reader sees the old file or the new one.

    Where there is a link, what it leads to; and into what is no file, as a device or a pipe.
    """
    import tempfile

    if _is_stream(path):
        _write_into(path, text)
        return
    given, path = path, Path(os.path.realpath(path))
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.absolute().parent)
        try:
            with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            os.chmod(name, _mode(path))
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    except OSError as error:
        raise _cannot_write(given, error) from error


def _is_stream(path: Path) -> bool:
    """A device or a pipe, also under the name of one of this process's own descriptors."""
    try:
        there = path.stat()
    except OSError:
        return False
    own = str(path.absolute()).startswith(("/dev/fd/", "/dev/std", "/proc/"))
    return own or not stat.S_ISREG(there.st_mode)


def _write_into(path: Path, text: str) -> None:
    try:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise _cannot_write(path, error) from error


def append(path: Path, text: str) -> None:
    """Adds to a file that others write to as well, in one piece."""
    try:
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise _cannot_write(path, error) from error


def write_json(text: str, to: str) -> None:
    """Writes JSON to a file, or (for ``-``) to standard output."""
    text += "\n"
    if to != STDOUT:
        write_atomically(Path(to), text)
        return
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        sys.stdout.write(text)
    else:  # UTF-8 whatever the console speaks: a program reads this
        stream.write(text.encode())
        stream.flush()


def must_be_writable(path: Path) -> None:
    """Finds out before a long job, not after, that its result could not be written."""
    folder = path.absolute().parent
    if path.is_dir():
        raise UsageError(Text(f"cannot write {path}: it is a folder", f"无法写入 {path}：这是文件夹"))
    if not folder.is_dir():
        raise UsageError(
            Text(f"cannot write {path}: there is no folder {folder}", f"无法写入 {path}：没有文件夹 {folder}")
        )


def must_differ(named: Mapping[str, Path | str | None]) -> None:
    """Finds out before a long job whether two options name one file, of which one would be lost."""
    taken: dict[str, str] = {}
    for option, path in named.items():
        if path is None or path == STDOUT or _is_stream(Path(path)):
            continue
        other = taken.setdefault(os.path.realpath(path), option)
        if other != option:
            raise UsageError(
                Text(
                    f"{other} and {option} both name {path}: give each a file of its own",
                    f"{other} 和 {option} 都指定了 {path}：请为它们指定不同的文件",
                )
            )


def create_only(path: Path, data: bytes) -> bool:
    """Writes a file that is not there yet; False where something is, which stays as it is."""
    try:
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError:
        return False
    except OSError as error:
        raise _cannot_write(path, error) from error
    return True


def _mode(path: Path) -> int:
    """The mode of the file that is replaced, or what a new file would get."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0o022)
        os.umask(mask)
        return 0o666 & ~mask


def _cannot_write(path: Path, error: OSError) -> UsageError:
    return UsageError(Text(f"cannot write {path}: {error.strerror}", f"无法写入 {path}：{error.strerror}"))
