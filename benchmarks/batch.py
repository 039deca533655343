"""Submissions per second with full marking of all exercises, against grading them with pytest alone.

    python -m benchmarks.batch [--count 60] [--jobs 2] [--others 6]

Makes a class (right, wrong, unfinished, broken, hostile), grades it with `grade batch` as an instructor
would, and a few of the same submissions by what people use otherwise: one pytest process for each submission
on a small suite of comparable checks, and the local runs of otter-grader and nbgrader where they are
installed.  Prints submissions per second, and the memory that each process holds alone.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.peers import PEERS, installed
from benchmarks.simulated_class import make_class
from grader.course.worker_process import memory_mib

__all__ = ["main"]


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=60, help="0: the other ways only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--others", type=int, default=6, help="how many the other ways grade")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--honest", action="store_true", help="no hostile submissions")
    options = parser.parse_args()
    kinds = {"right": 35, "wrong": 47, "unfinished": 6, "broken": 6, "hostile": 0 if options.honest else 6}
    with tempfile.TemporaryDirectory(prefix="grade-benchmark-") as name:
        folder = Path(name) / "class"
        if options.count:
            make_class(folder, options.count, seed=options.seed, kinds=kinds)
            _ours(folder, options.count, options.jobs)
        for peer in PEERS:
            if not installed(peer):
                say(f"{peer}: not installed")
                continue
            honest = Path(name) / peer / "class"
            make_class(honest, options.others, seed=options.seed, kinds={"right": 1, "wrong": 1})
            _peer(peer, honest, options.jobs)


def _ours(folder: Path, count: int, jobs: int) -> None:
    command = [sys.executable, "-m", "grader", "batch", str(folder), "--jobs", str(jobs)]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    watch = _Memory(process.pid)
    said, _ = process.communicate()
    seconds = time.perf_counter() - started
    watch.stop()
    if process.returncode not in (0, 1):
        say(said)
        raise SystemExit("the batch failed")
    say(f"grade batch: {count} in {seconds:.1f} s, {count / seconds:.2f}/s with {jobs} jobs")
    say(f"  memory of its own, at most: {watch}")
    say("  " + said.splitlines()[0])


class _Memory:
    """Looks every half second at what the processes under one hold alone."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.most: dict[int, float] = {}
        self.names: dict[int, str] = {}
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        self.over.set()
        self.thread.join()

    def _look(self) -> None:
        while not self.over.wait(0.5):
            parent = self.pid
            self._note(parent, "parent")
            for child in _children(parent):
                zygote = "zygote" in _words(child)
                self._note(child, "zygote" if zygote else "grader")

    def _note(self, pid: int, name: str) -> None:
        self.names[pid] = name
        self.most[pid] = max(self.most.get(pid, 0.0), memory_mib(pid))

    def __str__(self) -> str:
        kinds = {
            name: [self.most[p] for p in self.most if self.names[p] == name] for name in self.names.values()
        }
        return ", ".join(f"{name} {max(found):.0f} MiB" for name, found in sorted(kinds.items()))


def _children(pid: int) -> list[int]:
    try:
        return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except (OSError, ValueError):
        return []


def _words(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def _peer(name: str, folder: Path, jobs: int) -> None:
    places = sorted(folder.iterdir())
    started = time.perf_counter()
    through = PEERS[name](places, jobs)
    seconds = time.perf_counter() - started
    if through < len(places):
        say(f"{name}: got through {through} of {len(places)} only")
        return
    say(f"{name}: {len(places)} in {seconds:.1f} s, {len(places) / seconds:.2f}/s")


def say(words: str) -> None:
    print(words, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
