"""What a worker may read: Python and torch, without this package, other copies of it, and the places
that hold an exercise ready made."""

from __future__ import annotations

import contextlib
import os
import site
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

from grader.worker.readymade import LIBRARIES, hidden_files

__all__ = ["package_folders", "readable_paths"]

SYSTEM_READABLE = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/dev/zero",
    "/dev/urandom",
    "/sys/devices/system/cpu",
)
FOLDERS_OF_PACKAGES = ("site-packages", "dist-packages")


def readable_paths(secret: str, torch_folder: str | None = None) -> tuple[list[str], list[str]]:
    """Files and folders to read, and folders only to list.

    `secret`: the folder of this package; `torch_folder`: where torch is, to leave out what in it holds
    an exercise ready made.
    """
    roots = [*SYSTEM_READABLE, sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    roots += [*package_folders(), os.path.join(sys.base_prefix, "lib")]
    roots = list(dict.fromkeys(os.path.realpath(r) for r in roots if r))
    denied = {os.path.realpath(secret)}
    if torch_folder is not None:
        denied |= {str(p) for p in hidden_files(Path(os.path.realpath(torch_folder))) if p.exists()}
    for folder in dict.fromkeys(_all_package_folders(roots)):
        denied |= set(_unwanted(folder))
    above = {parent for path in denied for parent in _parents(path)}
    readable: dict[str, None] = {}
    listable: dict[str, None] = {}
    for root in roots:
        if not denied.intersection(_parents(root)):
            _around(root, denied, above, readable, listable)
    return list(readable), list(listable)


def package_folders() -> list[str]:
    """The folders of installed packages that this Python imports from."""
    found = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()]
    found += [p for p in sys.path if p.rstrip("/").endswith(FOLDERS_OF_PACKAGES)]
    return list(dict.fromkeys(os.path.realpath(p) for p in found if p))


def _parents(path: str) -> Iterator[str]:
    while (parent := os.path.dirname(path)) != path:
        yield parent
        path = parent


def _all_package_folders(roots: Iterable[str]) -> Iterator[str]:
    """Folders of packages in these places: another Python's may hold another copy of this package."""
    for root in roots:
        if root.endswith(FOLDERS_OF_PACKAGES):
            yield root
            continue
        pythons = [name for name in _names(root) if name.startswith("python3")]
        for name in FOLDERS_OF_PACKAGES:
            for folder in (root, *(os.path.join(root, python) for python in pythons)):
                place = os.path.join(folder, name)
                if os.path.isdir(place):
                    yield os.path.realpath(place)


def _unwanted(folder: str) -> Iterator[str]:
    """A copy of this package, and libraries that bring the exercises along."""
    for name in _names(folder):
        path = os.path.join(folder, name)
        if name in LIBRARIES or (name == "grader" and os.path.isdir(os.path.join(path, "exercises"))):
            yield os.path.realpath(path)


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _around(
    root: str,
    denied: set[str],
    above: set[str],
    readable: dict[str, None],
    listable: dict[str, None],
) -> None:
    """Adds `root`, or the parts of it that are not denied."""
    if root in denied:
        return
    if root not in above:
        readable[root] = None
        return
    listable[root] = None
    with contextlib.suppress(OSError), os.scandir(root) as found:
        for entry in found:
            if not entry.is_symlink():
                _around(entry.path, denied, above, readable, listable)
                continue
            real = os.path.realpath(entry.path)  # what a link leads to may be denied too
            if not denied.intersection(_parents(real)):
                _around(real, denied, above, readable, listable)
