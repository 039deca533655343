"""How a worker locks itself in before the learner's code is loaded.

Every layer is tried, and what took effect is reported as a set of words (`Isolation.layers`), so that
`grade doctor` can say plainly what this machine enforces.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import site
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from grader.worker import landlock, seccomp

__all__ = ["Limits", "confine", "readable_paths"]

NOBODY = 65534
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, SIGKILL = 1, 4, 24, 9
SYSTEM_READABLE = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/dev/null",
    "/dev/zero",
    "/dev/urandom",
    "/sys/devices/system/cpu",
)


@dataclass(frozen=True)
class Limits:
    """What one worker may use.

    memory: bytes beyond what torch itself has mapped; cpu: seconds in all; file: bytes of the
    largest file; files: open descriptors.
    """

    memory: int = 2 << 30
    cpu: int = 120
    file: int = 16 << 20
    files: int = 256


def confine(limits: Limits, scratch: str, secret: str, keep: int) -> list[str]:
    """Locks this process in and returns the names of the layers that hold.

    `scratch`: the only folder that may be written; `secret`: the folder of the package, whose
    suites and solutions must not be readable; `keep`: the one descriptor that stays open.
    """
    layers: list[str] = []
    paths = readable_paths(secret)
    _close_everything_but(keep)
    with contextlib.suppress(OSError):
        os.setsid()
    _die_with_parent()
    os.environ.clear()
    os.environ.update(PATH="", HOME=scratch, TMPDIR=scratch, LANG="C.UTF-8")
    if _limit(limits):
        layers.append("limits")
    with contextlib.suppress(OSError):
        os.chdir(scratch)
    layers += _drop_privileges(scratch)
    readable, listable = paths
    if version := landlock.restrict(readable, listable, [scratch]):
        layers.append("landlock")
        if version >= 4:
            layers.append("landlock-network")
        if version >= 6:
            layers.append("landlock-signals")
    if seccomp.install():
        layers.append("seccomp")
    return layers


def readable_paths(secret: str) -> tuple[list[str], list[str]]:
    """Folders to read, and folders only to list: the Python and torch installation without `secret`."""
    roots = [*SYSTEM_READABLE, sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    roots += [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    roots += [p for p in sys.path if p.endswith(("site-packages", "dist-packages"))]
    roots += site.getsitepackages() if hasattr(site, "getsitepackages") else []
    roots.append(str(Path(sys.base_prefix, "lib")))
    denied = Path(os.path.realpath(secret))
    readable: dict[str, None] = {}
    listable: dict[str, None] = {}
    for root in dict.fromkeys(os.path.realpath(r) for r in roots if r):
        _around(Path(root), denied, readable, listable)
    return list(readable), list(listable)


def _around(root: Path, denied: Path, readable: dict[str, None], listable: dict[str, None]) -> None:
    if root == denied or denied in root.parents:
        return
    if root not in denied.parents:
        readable[str(root)] = None
        return
    listable[str(root)] = None
    with contextlib.suppress(OSError):
        for child in root.iterdir():
            _around(Path(os.path.realpath(child)), denied, readable, listable)


def _close_everything_but(keep: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        if standard != keep:
            os.dup2(null, standard)
    highest = 4096
    with contextlib.suppress(OSError, ValueError):
        highest = max(map(int, os.listdir("/proc/self/fd"))) + 1
    for low, high in ((3, keep), (keep + 1, highest)):
        if low < high:
            os.closerange(low, high)


def _die_with_parent() -> None:
    if sys.platform.startswith("linux"):
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)


def _limit(limits: Limits) -> bool:
    try:
        import resource
    except ImportError:  # Windows
        return False
    mapped = 0
    with contextlib.suppress(OSError, ValueError, IndexError):
        mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    wanted = {
        "RLIMIT_CPU": limits.cpu,
        "RLIMIT_FSIZE": limits.file,
        "RLIMIT_NOFILE": limits.files,
        "RLIMIT_CORE": 0,
    }
    if mapped:
        wanted["RLIMIT_AS"] = mapped + limits.memory
    done = False
    for name, value in wanted.items():
        which = getattr(resource, name, None)
        if which is not None:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(which, (value, value))
                done = True
    return done


def _drop_privileges(scratch: str) -> list[str]:
    """As root: becomes nobody where nobody can still read Python and torch; else drops capabilities."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return []
    if _nobody_can_read(sysconfig.get_path("stdlib"), sysconfig.get_path("platlib")):
        try:
            os.chown(scratch, NOBODY, NOBODY)
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
        except (OSError, AttributeError):
            return []
        _die_with_parent()  # a change of user clears the wish
        return ["unprivileged"]
    return ["no-capabilities"] if _drop_capabilities() else []


def _nobody_can_read(*folders: str) -> bool:
    for folder in folders:
        path = Path(os.path.realpath(folder))
        for place in (path, *path.parents):
            try:
                if not place.stat().st_mode & 0o001:
                    return False
            except OSError:
                return False
    return True


def _drop_capabilities() -> bool:
    """Takes every capability from a root process (capset, version 3 of the header)."""
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in range(64):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    nothing = (ctypes.c_uint32 * 6)()
    return bool(libc.capset(header, nothing) == 0)
