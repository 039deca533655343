"""Notices which files of a folder are saved: by the system's notices, or by looking where there are none."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from pathlib import Path

__all__ = ["ANY", "Saves", "needs_looking"]

ANY = "*"  # for a notebook, which may hold any exercise

# file systems whose changes on another machine (or on the host) reach us by looking only
FAR = frozenset(
    {"9p", "afs", "afpfs", "ceph", "cifs", "davfs", "drvfs", "fuse", "glusterfs", "lustre", "nfs", "nfs3"}
    | {"nfs4", "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs", "webdav"}
)
STEP = 5  # milliseconds of quiet that end a burst of notices
LOOK = 0.25  # seconds from one look to the next


class Saves:
    """Collects the names of changed modules in a thread of its own, and calls `wake` when there are some."""

    def __init__(self, folder: Path, wake: Callable[[], None], *, poll: bool = False) -> None:
        self.folder = folder
        self.poll = poll
        self.problem: OSError | None = None
        self._wake = wake
        self._names: set[str] = set()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="saves", daemon=True)

    def __enter__(self) -> Saves:
        import watchfiles  # noqa: F401  (here, so that its absence is an error of the command)

        self._thread.start()
        return self

    def __exit__(self, *details: object) -> None:
        self._stop.set()
        self._thread.join(2)

    @property
    def waiting(self) -> bool:
        """Whether there are names to take."""
        return bool(self._names)

    def take(self) -> set[str]:
        """The names that came since the last time."""
        with self._lock:
            found, self._names = self._names, set()
        return found

    def _run(self) -> None:
        try:
            if not self.poll:
                self._listen()
                return
        except OSError:  # the system gives no notices: too many are in use, or not for this folder
            self.poll = True
        try:
            self._look()
        except OSError as error:
            self.problem = error
            self._wake()

    def _listen(self) -> None:
        from watchfiles import watch

        changes = watch(
            self.folder,
            watch_filter=lambda _, path: _is_module(os.path.basename(path)),
            step=STEP,
            debounce=20 * STEP,
            stop_event=self._stop,
            rust_timeout=500,
            recursive=False,
            raise_interrupt=False,
            force_polling=False,
        )
        for found in changes:
            self._found({_module(os.path.basename(path)) for _, path in found})

    def _look(self) -> None:
        """Compares times, sizes and numbers of files; those who look for watchfiles compare whole seconds,
        and would miss the second of two quick saves."""
        before = self._stamps()
        while not self._stop.wait(LOOK):
            now = self._stamps()
            changed = {name for name in now.keys() | before.keys() if now.get(name) != before.get(name)}
            before = now
            if changed:
                self._found({_module(name) for name in changed})

    def _stamps(self) -> dict[str, tuple[int, int, int]]:
        found = {}
        with os.scandir(self.folder) as entries:
            for entry in entries:
                if _is_module(entry.name):
                    with contextlib.suppress(OSError):  # it has just vanished
                        seen = os.stat(entry.path)
                        found[entry.name] = (seen.st_mtime_ns, seen.st_size, seen.st_ino)
        return found

    def _found(self, names: set[str]) -> None:
        with self._lock:
            self._names |= names
        self._wake()


def _is_module(name: str) -> bool:
    return name.endswith((".py", ".ipynb")) and not name.startswith(".")


def _module(name: str) -> str:
    return ANY if name.endswith(".ipynb") else name.removesuffix(".py")


def needs_looking(folder: Path, mounts: Path = Path("/proc/self/mounts")) -> bool:
    """Whether the folder is on a file system that gives no notice of every change."""
    best, kind = -1, ""
    with contextlib.suppress(OSError):
        here = folder.resolve()
        for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines():
            parts = line.split()
            if len(parts) < 3:
                continue
            place = Path(parts[1].replace("\\040", " "))
            if (here == place or place in here.parents) and len(place.parts) >= best:
                best, kind = len(place.parts), parts[2].lower()
    return kind in FAR or kind.startswith("fuse.")
