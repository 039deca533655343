"""Whose rights a worker has: a user of its own, without powers, in namespaces of its own."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

__all__ = ["apart", "close_range", "counted", "die_with_parent", "drop", "others_can_read", "without_network"]

NOBODY = 65534
OWN_USERS = 1_500_000_000  # and the process's number: nobody else is called that
PR_SET_PDEATHSIG, PR_SET_KEEPCAPS, SIGKILL = 1, 8, 9
CAP_DAC_READ_SEARCH = 1 << 2
CAPABILITY_VERSION = 0x20080522
CLOSE_RANGE = 436  # the same number on every architecture
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _linux() -> bool:
    return sys.platform.startswith("linux")


def die_with_parent() -> None:
    """The kernel ends this process when the one that made it is gone."""
    if _linux():
        _libc().prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)


def close_range(first: int, last: int = 0xFFFF_FFFF) -> bool:
    """Closes these descriptors at once; False where this system cannot (Linux before 5.9, others)."""
    if first > last:
        return True
    return _linux() and _libc().syscall(CLOSE_RANGE, ctypes.c_uint(first), ctypes.c_uint(last), 0) == 0


def without_network() -> bool:
    """Moves this process, and what it forks, to a network namespace in which there is nothing.

    For the zygote, before anything is loaded: a process with threads cannot move.
    """
    if not _linux():
        return False
    if os.geteuid() == 0:
        return bool(_libc().unshare(CLONE_NEWNET) == 0)
    user, group = os.geteuid(), os.getegid()
    if _libc().unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        return False
    with contextlib.suppress(OSError):  # so that it still sees itself under its own name
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    return True


def drop(scratch: str, needed: Sequence[str]) -> list[str]:
    """As root: becomes a user that owns nothing but `scratch`; else gives up what powers there are.

    That user must be able to read Python (`needed`).  Where it is not, it keeps the one power to read
    everything: Landlock confines that, and without Landlock root could read everything just as well.
    """
    if not _linux():
        return []
    if os.geteuid() != 0:
        return ["no-capabilities"] if _set_capabilities(0) else []
    readable = all(others_can_read(folder) for folder in needed)
    _libc().prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)
    if not any(_become(user, scratch) for user in (OWN_USERS + os.getpid(), NOBODY)):
        return ["no-capabilities"] if _set_capabilities(0) else []
    _set_capabilities(0 if readable else CAP_DAC_READ_SEARCH)
    die_with_parent()  # a change of user clears the wish
    return ["unprivileged"]


def _become(user: int, scratch: str) -> bool:
    """False where this machine has no such user: a container may know only a few."""
    try:
        os.chown(scratch, user, user)
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    except (OSError, AttributeError, OverflowError):
        return False
    return True


def apart(layers: Collection[str]) -> list[str]:
    """A user namespace, in which the processes of this worker are counted by themselves.

    A worker that is a user of its own is counted by itself anyway, and one that is still root never is.
    """
    if not _linux() or "unprivileged" in layers or os.geteuid() == 0:
        return []
    if _libc().unshare(CLONE_NEWUSER) != 0:
        return []
    _set_capabilities(0)  # it came with all powers over the new namespace
    return ["user-namespace"]


def counted(layers: Collection[str]) -> bool:
    """Whether a limit on processes would be one on this worker alone."""
    if "unprivileged" in layers:
        return os.geteuid() >= OWN_USERS
    return "user-namespace" in layers and _release() >= (5, 14)


def _release() -> tuple[int, ...]:
    words = os.uname().release.split(".")[:2]
    return tuple(int(w) for w in words if w.isdigit())


@cache
def others_can_read(folder: str) -> bool:
    """Whether a user that owns nothing can read what is in a folder."""
    path = Path(os.path.realpath(folder))
    for place in (path, *path.parents):
        try:
            if not place.stat().st_mode & 0o001:
                return False
        except OSError:
            return False
    return True


def _set_capabilities(kept: int) -> bool:
    """Leaves this process with these capabilities only, and no way to others (`capset`, version 3)."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)(kept, kept)  # effective, permitted, inheritable; then the upper halves
    return bool(_libc().capset(header, sets) == 0)
