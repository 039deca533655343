"""How long a cold `grade run` on all exercises takes, beside importing torch and `grade --help`.

    python benchmarks/cold_run.py [--repeat 5] [--path solutions]

Prints the medians in seconds and the ratios to ``python -c "import torch"``.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def seconds(command: list[str], repeat: int) -> float:
    """The median wall time of a command."""
    times = []
    for _ in range(repeat):
        started = time.perf_counter()
        subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--path", default=str(ROOT / "solutions"))
    options = parser.parse_args()
    grade = [sys.executable, "-m", "grader"]
    torch = seconds([sys.executable, "-c", "import torch"], options.repeat)
    run = seconds([*grade, "run", "--path", options.path], options.repeat)
    bare = seconds([sys.executable, "-c", "pass"], options.repeat)
    usage = seconds([*grade, "--help"], options.repeat)
    print(f"import torch      {torch:6.2f} s")  # noqa: T201
    print(f"grade run         {run:6.2f} s   {run / torch:.2f} x import torch, {run - torch:+.2f} s")  # noqa: T201
    print(f"grade --help      {usage:6.3f} s   (a bare interpreter: {bare:.3f} s)")  # noqa: T201


if __name__ == "__main__":
    main()
