"""A class of 20,000 on a Dask cluster of this machine, to see whether the *spreading* keeps up.

    python -m benchmarks.cluster                         20,000 submissions, 4 workers
    python -m benchmarks.cluster --size 2000 --workers 2

Nothing is graded here: a submission takes a few milliseconds of sleep, and every answer is the same.  All
the rest is what `grade batch --scheduler` does: submissions are found in a folder and read, sent as bytes,
answered, and written to the store one by one.  After a quarter one worker is killed, and after a half
another one is stopped, so that it answers no more.  In the end every submission has one result.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from distributed import Client, get_worker

from grader.course.cluster_run import Patience, run_there
from grader.course.cluster_worker import Answer
from grader.course.contents import Contents, read_contents
from grader.course.intake import find_submissions
from grader.course.jobs import Job
from grader.course.records import Graded
from grader.course.settings import GradingSettings, digest_of
from grader.course.store import Entry, Store
from grader.course.storing import graded_to_bytes
from grader.text import Text

SETTINGS = GradingSettings(("masks",))
ROOT = Path(__file__).resolve().parent.parent
ANSWER = graded_to_bytes(Graded(None, Text("nothing was graded", "没有评分"), False, 0.0))


def pretend(contents: Contents) -> Answer:
    """In place of grading."""
    time.sleep(random.uniform(0.002, 0.008))
    return Answer(str(get_worker().address), ANSWER)


class Writing:
    """Into the store, as `grade batch` does; at two moments, something happens to a worker."""

    def __init__(self, store: Store, size: int, workers: list[subprocess.Popen[bytes]]) -> None:
        self.store, self.size, self.workers = store, size, workers
        self.done: dict[str, int] = {}
        self.by: dict[str, int] = {}
        self.troubles = {size // 4: signal.SIGKILL, size // 2: signal.SIGSTOP}

    def started(self, digest: str, worker: str) -> None:
        self.store.started(digest, worker)

    def finished(self, digest: str, graded: Graded, worker: str) -> None:
        self.store.finished(digest, graded, worker)
        self.done[digest] = self.done.get(digest, 0) + 1
        self.by[worker] = self.by.get(worker, 0) + 1
        trouble = self.troubles.pop(len(self.done), None)
        if trouble is not None and len(self.workers) > 1:
            os.kill(self.workers.pop().pid, trouble)
            print(f"{trouble.name} to a worker after {len(self.done)} submissions", flush=True)

    def said(self, words: Text) -> None:
        print(words.en, flush=True)


def a_class(folder: Path, size: int) -> None:
    """A folder for each student, with one small file."""
    for number in range(size):
        place = folder / f"s{number:05}"
        place.mkdir()
        (place / "masks.py").write_text(f"SIZE = {number}\n\n\ndef causal_mask(size):\n    return SIZE\n")


def processes(folder: Path, workers: int) -> tuple[str, list[subprocess.Popen[bytes]]]:
    """The scheduler's address, and all processes, the scheduler first."""
    file = folder / "scheduler.json"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def start(what: str, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *words, "--no-dashboard"]
        with (folder / f"{what}.log").open("ab") as log:
            return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=log)

    started = [start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))]
    while not file.exists():
        time.sleep(0.2)
    address = json.loads(file.read_text())["address"]
    words = (address, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder))
    return address, started + [start("worker", *words) for _ in range(workers)]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=4)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "class").mkdir()
        a_class(folder / "class", given.size)
        address, started = processes(folder, given.workers)
        try:
            _run(folder, address, given.size, started[1:])
        finally:
            for process in reversed(started):
                process.kill()
                process.wait()


def _run(folder: Path, address: str, size: int, workers: list[subprocess.Popen[bytes]]) -> None:
    begun = time.perf_counter()
    handed = find_submissions(folder / "class")
    entries = [Entry(h, digest_of(read_contents(h), SETTINGS)) for h in handed]
    print(f"{len(entries)} submissions found and read in {time.perf_counter() - begun:.1f} s", flush=True)
    with Store(folder / "store.sqlite") as store, Client(address, set_as_default=False) as client:
        store.enter(entries)
        client.wait_for_workers(len(workers), timeout=120)
        jobs = [Job(e.digest, e.handed) for e in entries]
        writing = Writing(store, size, list(workers))
        begun = time.perf_counter()
        run_there(client, pretend, jobs, SETTINGS, writing, patience=Patience(late=5.0))
        spent = time.perf_counter() - begun
        stored = sum(row.stored is not None for row in store.rows())
    once = sum(count == 1 for count in writing.done.values())
    print(f"{size} submissions in {spent:.1f} s, {size / spent:.0f} a second; by worker: {writing.by}")
    print(f"heard once: {once} of {size}; in the store: {stored}")
    sys.exit(0 if once == stored == size else 1)


if __name__ == "__main__":
    main()
