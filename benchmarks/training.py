"""How long the reference takes to learn the toy tasks, and how well it does, over many seeds.

    python benchmarks/training.py [--seeds 10] [--task NAME] [--path solutions]

One row for each task: how many seeds are learnt, the lowest accuracy on held-out sequences, and the steps,
the seconds of processor time of the worker, and the seconds on the clock: median and longest.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.cold_run import ROOT
from grader.learning.run import train
from grader.learning.tasks import TASKS
from grader.submission.launcher import default_launcher
from grader.submission.source import read_submission


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--task", choices=TASKS)
    parser.add_argument("--path", type=Path, default=ROOT / "solutions")
    options = parser.parse_args()
    submission = read_submission(options.path)
    names = [options.task] if options.task else list(TASKS)
    print(f"{'':14}{'learnt':>9}{'lowest':>9}{'steps':>12}{'CPU s':>14}{'s':>14}")  # noqa: T201
    with default_launcher() as launcher:
        for name in names:
            learnt, accuracies, steps, spent, took = 0, [], [], [], []
            for seed in range(options.seeds):
                started = time.perf_counter()
                result = train(submission, launcher, [TASKS[name]], seed=seed).results[0]
                took.append(time.perf_counter() - started)
                learnt += result.learnt
                accuracies.append(result.exam.accuracy if result.exam is not None else 0.0)
                steps.append(len(result.curve.losses))
                spent.append(result.curve.seconds)
            print(  # noqa: T201
                f"{name:14}{learnt:>5} of {options.seeds:<3}{min(accuracies):7.1%}"
                f"{statistics.median(steps):7.0f} {max(steps):4}"
                + "".join(f"{statistics.median(v):9.2f} {max(v):5.2f}" for v in (spent, took)),
                flush=True,
            )


if __name__ == "__main__":
    main()
