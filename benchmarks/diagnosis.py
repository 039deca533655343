"""How long diagnosis takes after a failed check, on the wrong submissions of `tests/submissions`.

    python benchmarks/diagnosis.py [--exercise NAME] [--every N]

Prints, for each exercise, the median, the 95th percentile and the longest time from the end of the
suite to the diagnoses, and the ratio of the median to importing torch.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from grader.marking import run
from tests.support import Example, Grader, examples


def main() -> None:
    """Grades the submissions and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--exercise", default="")
    parser.add_argument("--every", type=int, default=4, help="take every n-th submission")
    parser.add_argument("--slowest", type=int, default=0, help="also list the slowest n")
    options = parser.parse_args()
    chosen = [e for e in examples("chaffs") if options.exercise in ("", e.exercise)][:: options.every]
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import torch"], check=True)
    torch_seconds = time.perf_counter() - started
    rows = measure(chosen)
    print(f"importing torch: {torch_seconds:.2f} s")  # noqa: T201
    for exercise in dict.fromkeys(e.exercise for e, _, _ in rows):
        _print_row(exercise, [s for e, s, _ in rows if e.exercise == exercise], torch_seconds)
    _print_row("all", [s for _, s, _ in rows], torch_seconds)
    for example, seconds, confidence in sorted(rows, key=lambda row: -row[1])[: options.slowest]:
        print(f"{seconds:6.2f} s  {example.id}  {confidence}")  # noqa: T201


def measure(chosen: Sequence[Example]) -> list[tuple[Example, float, str]]:
    """Seconds of diagnosis for each submission, and how sure the first answer is."""
    taken: list[float] = []
    plain = run.diagnose

    def timed(*args: Any, **kwargs: Any) -> Any:
        started = time.perf_counter()
        try:
            return plain(*args, **kwargs)
        finally:
            taken.append(time.perf_counter() - started)

    run.diagnose = timed
    rows = []
    with Grader() as grader:
        grader.file(chosen[0].exercise, chosen[0].path)  # the first one imports
        for example in chosen:
            taken.clear()
            result = grader.file(example.exercise, example.path)
            first = result.diagnoses[0].confidence if result.diagnoses else "-"
            rows.append((example, sum(taken), first))
    run.diagnose = plain
    return rows


def _print_row(name: str, seconds: Sequence[float], torch_seconds: float) -> None:
    ordered = sorted(seconds)
    median, late = statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))]
    print(  # noqa: T201
        f"{name:22} n={len(ordered):4}  median {median:.3f} s ({median / torch_seconds:.2f} x torch)"
        f"  95% {late:.3f} s  longest {ordered[-1]:.3f} s"
    )


if __name__ == "__main__":
    main()
