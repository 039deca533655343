"""Grades the mutants and prints the kill rate.

    python -m benchmarks.mutants [--out FILE] [--limit N] [--exercise NAME]… [--operator NAME]…

With --out, what is graded is kept in a file of JSON lines, and not graded again.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.mutants.choose import NUMBER, SEED, chosen
from benchmarks.mutants.grading import Outcome, graded, read, untold, write
from benchmarks.mutants.mutation import Mutant
from benchmarks.mutants.operators import OPERATORS
from benchmarks.mutants.report import report
from benchmarks.mutants.survivors import known_survivors
from grader.exercises.registry import module_names


def main() -> int:
    """Measures and prints; 1 when a mutant survives that is not known to be right, 2 when nothing can be."""
    options = _options()
    wanted = chosen(options.number, exercises=options.exercise, operators=options.operator, seed=options.seed)
    wanted = spread(wanted, options.limit)
    if broken := untold(dict.fromkeys(m.exercise for m in wanted)):
        sys.stderr.write(f"the solution fails, or the skeleton passes: {', '.join(broken)}\n")
        return 2
    listed = {s.key for s in known_survivors()}
    known = {m.id for m in wanted if m.key in listed}
    with tempfile.TemporaryDirectory() as folder:
        out = options.out or Path(folder) / "mutants.jsonl"
        outcomes = run(wanted, out, options.processes, again=options.again)
    for line in report(outcomes, known):
        print(line)  # noqa: T201
    return int(any(not o.killed and o.id not in known for o in outcomes))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--out", type=Path, help="a file of JSON lines; what is in it is not graded again")
    parser.add_argument("--again", action="store_true", help="grade again those in the file that survived")
    parser.add_argument("--number", type=int, default=NUMBER, help=f"over all exercises (default {NUMBER})")
    parser.add_argument("--limit", type=int, help="only so many of them, spread evenly")
    parser.add_argument("--seed", default=SEED)
    parser.add_argument("--exercise", action="append", default=[], choices=module_names())
    parser.add_argument("--operator", action="append", default=[], choices=list(OPERATORS))
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def spread(wanted: Sequence[Mutant], limit: int | None) -> list[Mutant]:
    """So many of them, from all over."""
    if limit is None or limit >= len(wanted):
        return list(wanted)
    return [wanted[i * len(wanted) // limit] for i in range(limit)]


def run(wanted: Sequence[Mutant], out: Path, processes: int, *, again: bool = False) -> list[Outcome]:
    """The outcomes of all, grading those that the file does not hold."""
    done = read(out)
    current = {m.id: m.diff for m in wanted}
    kept = {
        i: o for i, o in done.items() if current.get(i) == o.diff and not o.error and (o.killed or not again)
    }
    missing = [m for m in wanted if m.id not in kept]
    started = time.monotonic()
    for count, outcome in enumerate(graded(missing, processes) if missing else (), 1):
        write(out, outcome)
        kept[outcome.id] = outcome
        _progress(count, len(missing), sum(not o.killed for o in kept.values()), time.monotonic() - started)
    return [kept[m.id] for m in wanted]


def _progress(count: int, total: int, survivors: int, seconds: float) -> None:
    left = seconds / count * (total - count)
    line = f"{count}/{total} graded, {survivors} survive, about {left / 60:.0f} min left"
    end = "\n" if count == total else "\r" if sys.stderr.isatty() else "\n" if count % 50 == 0 else ""
    if end:
        sys.stderr.write(f"{line}{end}")
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
