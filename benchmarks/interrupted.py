"""A class graded in one run, and again with the run killed (kill -9) in between: the marks must be the same.

    python -m benchmarks.interrupted [--count 1000] [--kills 3] [--layout moodle] [--exercises masks]
    python -m benchmarks.interrupted --cluster 2      also on a Dask cluster, a worker of which is killed

Prints how long each way takes, and ends with exit code 1 where a mark differs, is lost or is there twice.
"""

from __future__ import annotations

import argparse
import csv
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.simulated_class import LAYOUTS, make_class

__all__ = ["done", "grade_class", "grade_on_cluster", "group_is_gone", "rows"]

ROOT = Path(__file__).resolve().parent.parent


def grade_class(
    folder: Path, out: Path, *, kills: Sequence[int] = (), more: Sequence[str] = ()
) -> list[dict[str, str]]:
    """The mark sheet.  kills: numbers of results, at each of which the run is killed and begun again."""
    for number in kills:
        process = _start(folder, out, more)
        while done(out) < number:
            if process.poll() is not None:
                raise AssertionError(process.communicate()[0])
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        if not group_is_gone(process.pid):
            raise AssertionError("the killed run has left a process behind")
    process = _start(folder, out, more)
    said, _ = process.communicate()
    if process.returncode not in (0, 1):
        raise AssertionError(said)
    return rows(out)


def grade_on_cluster(folder: Path, out: Path, workers: int, more: Sequence[str] = ()) -> list[dict[str, str]]:
    """The mark sheet of a run on a Dask cluster of this machine; a third of the way one worker is killed."""
    from distributed import Client

    from benchmarks.cluster import processes

    wanted = len(list(folder.iterdir())) // 3
    with tempfile.TemporaryDirectory(prefix="grade-cluster-") as name:
        address, started = processes(Path(name), workers + 1)
        try:
            with Client(address, set_as_default=False) as client:
                client.wait_for_workers(workers + 1, timeout=120)
            process = _start(folder, out, ["--scheduler", address, *more])
            while done(out) < wanted and process.poll() is None:
                time.sleep(0.05)
            started[-1].kill()
            said, _ = process.communicate()
        finally:
            for one in reversed(started):
                one.kill()
                one.wait()
    if process.returncode not in (0, 1):
        raise AssertionError(said)
    return rows(out)


def _start(folder: Path, out: Path, more: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "grader", "batch", str(folder), "--out", str(out), *more],
        env={**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def done(out: Path) -> int:
    """How many results the store holds, read by somebody else."""
    path = out / "store.sqlite"
    if not path.exists():
        return 0
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return int(base.execute("SELECT count(*) FROM submissions WHERE state = 'done'").fetchone()[0])
    except sqlite3.OperationalError:  # not made yet
        return 0
    finally:
        base.close()


def group_is_gone(pid: int) -> bool:
    """No process of a run is left, after some seconds at most."""
    for _ in range(500):
        try:
            os.killpg(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def rows(out: Path) -> list[dict[str, str]]:
    """The mark sheet."""
    with (out / "marks.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main() -> None:
    """Grades both ways and compares."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--layout", choices=LAYOUTS, default="plain")
    parser.add_argument("--exercises", default="")
    parser.add_argument("--cluster", type=int, default=0, help="how many workers are left on a Dask cluster")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    exercises = tuple(filter(None, options.exercises.split(",")))
    with tempfile.TemporaryDirectory(prefix="grade-interrupted-") as name:
        place = Path(name)
        made = make_class(
            place / "c", options.count, seed=options.seed, layout=options.layout, exercises=exercises
        )
        more = []
        if exercises:
            (place / "course.toml").write_text(f"exercises = {list(exercises)}\n", encoding="utf-8")
            more = ["--course", str(place / "course.toml")]
        started = time.perf_counter()
        once = grade_class(place / "c", place / "once", more=more)
        between = time.perf_counter()
        kills = [options.count * (k + 1) // (options.kills + 1) for k in range(options.kills)]
        killed = grade_class(place / "c", place / "killed", kills=kills, more=more)
        ended = time.perf_counter()
        ways = {f"killed at {kills}": killed}
        if options.cluster:
            words = f"on a cluster of {options.cluster + 1} workers, one of which was killed"
            ways[words] = grade_on_cluster(place / "c", place / "cluster", options.cluster, more)
        spent = time.perf_counter() - ended
    say(f"{options.count} submissions: {dict(Counter(made.values()))}")
    say(f"in one run: {between - started:.0f} s; killed: {ended - between:.0f} s; cluster: {spent:.0f} s")
    say(f"states: {dict(Counter(row['status'] for row in once))}")
    wrong = False
    for words, sheet in ways.items():
        differ = [a["student"] for a, b in zip(once, sheet) if a != b]
        lost = set(made) ^ {row["student"] for row in sheet}
        wrong = wrong or bool(differ or lost) or len(sheet) != len(made)
        say(f"{words}: lost or doubled: {len(lost) + len(sheet) - len(made)}; other marks: {differ[:10]}")
    sys.exit(1 if wrong else 0)


def say(words: str) -> None:
    print(words, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
