"""How a worker locks itself in before the learner's code is loaded.

Every layer is tried, and the names of those that took effect are returned, so that `grade doctor` can
say plainly what this machine enforces.  SECURITY.md says what each of them is for.
"""

from __future__ import annotations

import contextlib
import os
import sysconfig
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grader.worker import landlock, rights, seccomp

__all__ = ["LAYERS", "Limits", "beforehand", "confine"]

# every layer that a test may do without
LAYERS = ("limits", "privileges", "namespaces", "landlock", "seccomp")


@dataclass(frozen=True)
class Limits:
    """What one worker may use.

    memory: bytes beyond what torch itself has mapped, 0 for no limit (an accelerator's driver maps more
    than there is); cpu: seconds in all; processes: threads (and
    processes, where there is no filter that allows none); file: bytes of the largest file; files:
    open descriptors.  A file that is open and has no name any more is seen by nobody: `files` times
    `file` is what all of those may take.
    """

    memory: int = 2 << 30
    cpu: int = 120
    processes: int = 64
    file: int = 1 << 20
    files: int = 128


def confine(
    limits: Limits,
    scratch: str,
    places: Sequence[landlock.Place],
    keep: int,
    *,
    without: Collection[str] = (),
    start: Callable[[], None] | None = None,
) -> list[str]:
    """Locks this process in and returns the names of the layers that hold.

    `scratch`: the only folder that may be written; `places`: what may be read; `keep`: the one
    descriptor that stays open; `without`: layers to leave out, so that tests see the others alone;
    `start`: opens an accelerator, within all layers but the last, which its driver would not get through.
    """
    layers: list[str] = []
    _stand_alone(keep)
    os.environ.clear()
    os.environ.update(PATH="", HOME=scratch, TMPDIR=scratch, LANG="C.UTF-8")
    with contextlib.suppress(OSError):
        os.chdir(scratch)
    own = landlock.places([scratch], "own")
    if "limits" not in without and _limit(_resources(limits)):
        layers.append("limits")
    if "privileges" not in without:
        layers += rights.drop(scratch, needed=_python())
    if "namespaces" not in without:
        layers += rights.apart(layers)
    if "limits" in layers and rights.counted(layers) and _limit({"RLIMIT_NPROC": limits.processes}):
        layers.append("processes")
    if "landlock" not in without and (version := landlock.restrict([*places, *own])):
        layers.append("landlock")
        if version >= 4:
            layers.append("landlock-network")
        if version >= 6:
            layers.append("landlock-signals")
    _close_everything_but(keep)
    if "limits" in layers:
        _limit({"RLIMIT_NOFILE": limits.files})  # only now: the places are many
    if start is not None:
        start()
    if "seccomp" not in without and seccomp.install(accelerator=start is not None):
        layers.append("seccomp")
    return layers


def beforehand() -> None:
    """Finds out what is the same for every worker that is forked from here."""
    for folder in _python():
        rights.others_can_read(folder)


@cache
def _python() -> tuple[str, ...]:
    return sysconfig.get_path("stdlib"), sysconfig.get_path("platlib")


def _stand_alone(keep: int) -> None:
    """Leaves the grader's group and terminal."""
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        if standard != keep:
            os.dup2(null, standard)
    with contextlib.suppress(OSError, AttributeError):
        os.setsid()
    rights.die_with_parent()
    with contextlib.suppress(OSError):  # of all processes, this one is to go first
        Path("/proc/self/oom_score_adj").write_text("1000")


def _close_everything_but(keep: int) -> None:
    if rights.close_range(3, keep - 1) and rights.close_range(keep + 1):
        return
    for low, high in ((3, keep), (keep + 1, _highest() + 1)):
        if low < high:
            os.closerange(low, high)


def _highest() -> int:
    """The highest open descriptor; looking at all of them takes a millisecond."""
    try:
        return max(map(int, os.listdir("/proc/self/fd")))
    except (OSError, ValueError):
        return 4095


def _resources(limits: Limits) -> dict[str, int]:
    wanted = {
        "RLIMIT_CPU": limits.cpu,
        "RLIMIT_FSIZE": limits.file,
        "RLIMIT_CORE": 0,
        "RLIMIT_MSGQUEUE": 0,
    }
    with contextlib.suppress(OSError, ValueError, IndexError, AttributeError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        if limits.memory:
            wanted["RLIMIT_AS"] = pages * os.sysconf("SC_PAGE_SIZE") + limits.memory
    return wanted


def _limit(wanted: Mapping[str, int]) -> bool:
    """Sets these limits, where this system knows them; False when it knows none."""
    try:
        import resource
    except ImportError:  # Windows
        return False
    done = False
    for name, value in wanted.items():
        which = getattr(resource, name, None)
        if which is not None:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(which, (value, value))
                done = True
    return done
