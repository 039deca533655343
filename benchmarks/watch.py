"""From the save of a file to the verdict of `grade watch`, beside a cold `grade run` and importing torch.

    python benchmarks/watch.py [--repeat 7] [--exercise attention ...]

A real `grade watch` runs in a folder of its own, its output in a pipe. For every exercise a wrong version
(from `tests/submissions`) and the solution are saved in turn, and the clock runs from the save to the
verdict in the pipe. Prints the medians.
"""

from __future__ import annotations

import argparse
import os
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
EXERCISES = [
    "attention",
    "masks",
    "positional_encoding",
    "multi_head_attention",
    "layer_norm",
    "encoder_block",
    "encoder",
    "tiny_transformer",
    "training",
]
GRADE = [sys.executable, "-m", "grader"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"}
PATIENCE = 120.0


class Watch:
    """A running `grade watch`, and when its verdicts come."""

    def __init__(self, folder: Path, exercise: str) -> None:
        self.path = folder / f"{exercise}.py"
        self.process = subprocess.Popen(
            [*GRADE, "watch", "--lang", "en", exercise],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env=ENVIRONMENT,
        )
        assert self.process.stdout is not None
        self.output: IO[bytes] = self.process.stdout
        self.verdict()

    def verdict(self) -> None:
        """Waits until the bar below a verdict is printed."""
        said = b""
        until = time.monotonic() + PATIENCE
        while b"/1" not in said.rpartition(b"[")[2]:
            if not select.select([self.output], [], [], until - time.monotonic())[0]:
                raise TimeoutError(said.decode())
            data = os.read(self.output.fileno(), 65536)
            if not data:
                raise EOFError(said.decode())
            said += data

    def seconds(self, text: str) -> float:
        """From the save to the verdict."""
        time.sleep(0.15)  # what is printed after the bar
        while select.select([self.output], [], [], 0)[0]:
            os.read(self.output.fileno(), 65536)
        started = time.perf_counter()
        self.path.write_text(text, encoding="utf-8")
        self.verdict()
        return time.perf_counter() - started

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


def of_exercise(exercise: str, repeat: int) -> tuple[list[float], list[float]]:
    """Seconds for wrong files, and for right ones."""
    wrong_ones = [
        path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "tests" / "submissions" / exercise / "chaffs").glob("*.py"))
    ]
    chosen = wrong_ones[:: max(1, len(wrong_ones) // repeat)][:repeat]
    right = (ROOT / "solutions" / f"{exercise}.py").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([*GRADE, "init", name], check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
        for path in (ROOT / "solutions").glob("*.py"):
            (folder / path.name).write_bytes(path.read_bytes())
        watch = Watch(folder, exercise)
        try:
            watch.seconds(chosen[0] + "\n")  # the first of each kind loads what the others find loaded
            watch.seconds(right + "\n")
            times = [
                (watch.seconds(f"{text}\n# {number}\n"), watch.seconds(f"{right}\n# {number}\n"))
                for number, text in enumerate(chosen)
            ]
        finally:
            watch.close()
    return [wrong for wrong, _ in times], [well for _, well in times]


def cold(command: list[str], repeat: int) -> float:
    """The median wall time of a command."""
    times = []
    for _ in range(repeat):
        started = time.perf_counter()
        subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False, env=ENVIRONMENT)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--exercise", action="append", choices=EXERCISES)
    options = parser.parse_args()
    torch = cold([sys.executable, "-c", "import torch"], min(3, options.repeat))
    print(f"import torch {torch:.2f} s")  # noqa: T201
    every: list[float] = []
    for exercise in options.exercise or EXERCISES:
        wrong, right = of_exercise(exercise, options.repeat)
        every += wrong + right
        run = cold([*GRADE, "run", "--path", "solutions", exercise], min(3, options.repeat))
        both = statistics.median(wrong + right)
        print(  # noqa: T201
            f"{exercise:22} save to verdict: wrong {statistics.median(wrong):.3f} s, right "
            f"{statistics.median(right):.3f} s; cold run {run:.2f} s ({run / both:.0f} times as long), "
            f"{both / torch:.2f} of importing torch"
        )
    print(f"median of all {statistics.median(every):.3f} s")  # noqa: T201


if __name__ == "__main__":
    main()
