"""Landlock: what the worker may open, after it has confined itself (Linux 5.13 and later).

Written against the kernel's own interface (Documentation/userspace-api/landlock.rst), since what we
need differs by kernel: files from ABI 1, TCP from ABI 4, signals and abstract sockets from ABI 6.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Place", "abi", "places", "restrict"]

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
PR_SET_NO_NEW_PRIVS = 38
RULE_PATH_BENEATH = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
ALL_ABI_1 = (1 << 13) - 1
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
FILE_ONLY = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
NET_BIND_AND_CONNECT = 0b11
SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def abi() -> int:
    """The kernel's Landlock ABI, 0 where there is none."""
    if not sys.platform.startswith("linux"):
        return 0
    found = _libc().syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    return max(0, int(found))


def _handled(version: int) -> int:
    rights = ALL_ABI_1
    if version >= 2:
        rights |= REFER
    if version >= 3:
        rights |= TRUNCATE
    if version >= 5:
        rights |= IOCTL_DEV
    return rights


@dataclass(frozen=True)
class Place:
    """A path that is already open, and what may be done beneath it: ``read``, ``list``, ``discard``
    (write what nobody reads), ``drive`` (a device by its driver) or ``own``."""

    handle: int
    folder: bool
    use: str


def places(paths: Iterable[str], use: str) -> list[Place]:
    """Opens the paths that exist.  Done once by the zygote, it saves every worker the way to them."""
    found = []
    for path in paths:
        with contextlib.suppress(OSError):
            found.append(Place(os.open(path, os.O_PATH | os.O_CLOEXEC), os.path.isdir(path), use))
    return found


def restrict(allowed: Iterable[Place]) -> int:
    """Confines this process to these places for good; returns the ABI used, 0 where nothing could be done.

    Programs may not be started from anywhere, and no TCP port may be bound or reached.
    """
    version = abi()
    if version == 0:
        return 0
    libc = _libc()
    rights = _handled(version)
    attributes = struct.pack("<Q", rights)
    if version >= 4:
        attributes += struct.pack("<Q", NET_BIND_AND_CONNECT)
    if version >= 6:
        attributes += struct.pack("<Q", SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS)
    ruleset = libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0))
    if ruleset < 0:
        return 0
    uses = {
        "read": READ_FILE | READ_DIR,
        "list": READ_DIR,
        "discard": READ_FILE | WRITE_FILE,
        "drive": (READ_FILE | READ_DIR | WRITE_FILE | IOCTL_DEV) & rights,
        "own": rights & ~EXECUTE,
    }
    number, flags, kind = ctypes.c_int(ruleset), ctypes.c_uint32(0), ctypes.c_int(RULE_PATH_BENEATH)
    try:
        for place in allowed:
            granted = uses[place.use] if place.folder else uses[place.use] & FILE_ONLY
            libc.syscall(ADD_RULE, number, kind, struct.pack("<Qi", granted, place.handle), flags)
        if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            return 0
        if libc.syscall(RESTRICT_SELF, number, flags) != 0:
            return 0
    finally:
        os.close(ruleset)
    return version
