"""The one folder that a worker may write to: how full it is, and how it is removed.

What is in it was put there by a submission: it may be a folder without permissions, a chain of folders
longer than any path, or a hundred thousand files.
"""

from __future__ import annotations

import contextlib
import os
import secrets

__all__ = ["MAX_ENTRIES", "remove", "usage"]

MAX_ENTRIES = 2000
LONG_PATH = 1000


def usage(folder: str, enough: int = MAX_ENTRIES) -> tuple[int, int]:
    """How many entries are in a folder, at any depth, and the bytes of the disk that they take.

    Stops counting at `enough` entries.  An empty folder, which is the rule, takes some microseconds.
    """
    entries = size = 0
    waiting = [folder]
    while waiting and entries < enough:
        try:
            with os.scandir(waiting.pop()) as found:
                for entry in found:
                    entries += 1
                    with contextlib.suppress(OSError):
                        status = entry.stat(follow_symlinks=False)
                        size += getattr(status, "st_blocks", status.st_size // 512) * 512
                        if entry.is_dir(follow_symlinks=False):
                            waiting.append(entry.path)
                    if entries >= enough:
                        break
        except OSError:
            continue
    return entries, size


def remove(folder: str) -> None:
    """Removes a folder with all that is in it, as far as this process may.

    Without recursion; and what lies deeper than a path may be long is moved up before it is removed.
    """
    waiting = [(folder, False)]
    while waiting:
        path, emptied = waiting.pop()
        if emptied:
            with contextlib.suppress(OSError):
                os.rmdir(path)
            continue
        if len(path) > len(folder) + LONG_PATH:
            higher = os.path.join(folder, secrets.token_hex(12))
            with contextlib.suppress(OSError):
                os.rename(path, higher)
                path = higher
        waiting.append((path, True))
        with contextlib.suppress(OSError):
            os.chmod(path, 0o700)
        waiting += [(inner, False) for inner in _folders(path)]
    with contextlib.suppress(OSError):
        os.rmdir(folder)  # once more, after what was moved up


def _folders(path: str) -> list[str]:
    """Removes the files in a folder; the folders in it."""
    deeper = []
    with contextlib.suppress(OSError), os.scandir(path) as found:
        for entry in found:
            with contextlib.suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    deeper.append(entry.path)
                else:
                    os.unlink(entry.path)
    return deeper
