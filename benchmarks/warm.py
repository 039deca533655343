"""How fast a warm grader is: from a save to the verdict, and submissions a second with full marking.

    python benchmarks/warm.py [--repeat 7] [--exercise NAME] [--wrong 14] [--submissions 5]

The first table has a row for each exercise: the median from reading the saved file to the report, in a
process that has graded before (`grader.marking.session.Session`); the same for wrong submissions of
`tests/submissions` (`--wrong` of each exercise, spread evenly; 0 leaves them out), which includes their
diagnosis; a cold `grade run` on that exercise alone; and the ratios to ``python -c "import torch"``.

The second part grades all exercises of submissions that are right, each in another style, and
gives the seconds of CPU of one, the grader's and the workers' (forking and confining them included),
and how many that makes a second on two cores.  A busy machine makes these figures worse: take the
ratios, and take them when nothing else runs.  Linux only: the workers' time is read from /proc.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.cold_run import ROOT, seconds
from grader.exercises.registry import module_names
from grader.marking.session import Session
from grader.submission.launcher import ZygoteLauncher
from grader.submission.source import read_submission
from tests.support import SUBMISSIONS


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--exercise", choices=module_names())
    parser.add_argument("--wrong", type=int, default=14)
    parser.add_argument("--submissions", type=int, default=5)
    options = parser.parse_args()
    names = [options.exercise] if options.exercise else list(module_names())
    torch = seconds([sys.executable, "-c", "import torch"], 3)
    print(f"import torch: {torch:.2f} s\n")  # noqa: T201
    print(f"{'':22}{'warm':>9}{'x torch':>9}{'wrong':>9}{'slowest':>9}{'cold':>9}{'x torch':>9}")  # noqa: T201
    with Session(ZygoteLauncher(), prompt=True) as session:
        for name in names:
            _row(session, name, torch, options.repeat, options.wrong)
        if not options.exercise:
            _throughput(session, options.submissions)
        session.launcher.close()


def _row(session: Session, name: str, torch: float, repeat: int, wrong: int) -> None:
    right = [ROOT / "solutions" / f"{name}.py"]
    _verdicts(session, name, right * 2)  # imports the room, and fills what is kept
    warm = statistics.median(_verdicts(session, name, right * repeat))
    chaffs = sorted((SUBMISSIONS / name / "chaffs").glob("*.py"))
    times = _verdicts(session, name, chaffs[:: max(1, len(chaffs) // wrong)]) if wrong else [0.0]
    command = [sys.executable, "-m", "grader", "run", name, "--path", str(ROOT / "solutions")]
    cold = seconds(command, 3)
    shown = [warm, warm / torch, statistics.median(times), max(times), cold, cold / torch]
    print(f"{name:22}" + "".join(f"{value:9.3f}" for value in shown))  # noqa: T201


def _verdicts(session: Session, name: str, files: Sequence[Path]) -> list[float]:
    """Seconds from the save to the verdict; the other exercises are the reference."""
    taken = []
    with tempfile.TemporaryDirectory() as folder:
        for other in (ROOT / "solutions").glob("*.py"):
            (Path(folder) / other.name).write_bytes(other.read_bytes())
        for file in files:
            (Path(folder) / f"{name}.py").write_bytes(file.read_bytes())
            started = time.perf_counter()
            session.grade(read_submission(Path(folder), (name,)), only=(name,))
            taken.append(time.perf_counter() - started)
    return taken


def _throughput(session: Session, count: int) -> None:
    """All exercises of submissions in which each file is written in another style."""
    names = module_names()
    styles = {name: sorted((SUBMISSIONS / name / "wheats").glob("*.py")) for name in names}
    session.grade(read_submission(ROOT / "solutions"))
    with tempfile.TemporaryDirectory() as outer:
        folders = [Path(outer) / str(number) for number in range(count)]
        for number, folder in enumerate(folders):
            folder.mkdir()
            for name in names:
                text = styles[name][number % len(styles[name])].read_bytes()
                (folder / f"{name}.py").write_bytes(text)
        before, started = _cpu(session), time.perf_counter()
        for folder in folders:
            report = session.grade(read_submission(folder))
            assert report.passed, [e.id for e in report.exercises if not e.passed]
        wall = (time.perf_counter() - started) / count
        grader, workers = ((after - first) / count for after, first in zip(_cpu(session), before))
    both = grader + workers
    print(  # noqa: T201
        f"\nall, right: {wall:.2f} s; CPU {both:.2f} s = grader {grader:.2f} + workers {workers:.2f}; "
        f"{1 / both:.2f} submissions a CPU-second, {2 / both:.1f} a second on two cores"
    )


def _cpu(session: Session) -> tuple[float, float]:
    """Seconds of CPU that the grader has used, and the zygote with all of its workers that have ended."""
    own = os.times()
    assert isinstance(session.launcher, ZygoteLauncher)
    fields = Path(f"/proc/{session.launcher.process.pid}/stat").read_text().rpartition(")")[2].split()
    return own.user + own.system, sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
