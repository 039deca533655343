"""Grades mutants, each as one exercise with the solutions for the others, in two processes."""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from benchmarks.mutants.choose import ROOT
from benchmarks.mutants.mutation import Mutant
from grader.errors import GraderError
from grader.marking.records import ExerciseResult
from grader.marking.run import grade
from grader.submission.launcher import Launcher, default_launcher
from grader.submission.source import Submission, parse_source, read_submission

__all__ = ["Bench", "Entry", "Outcome", "graded", "read", "untold", "write"]

BUDGET = {"call": 3.0, "load": 6.0, "total": 20.0}  # many a mutant never ends


@dataclass(frozen=True)
class Entry:
    """One diagnosis: its confidence, and the ids of its faults with their lines."""

    confidence: str
    tier: str
    faults: tuple[str, ...]
    lines: tuple[int | None, ...]
    evidence: str


@dataclass(frozen=True)
class Outcome:
    """What grading a mutant gave.  lost: the checks that failed, by tier; error: of the grader itself."""

    id: str
    exercise: str
    operator: str
    line: int
    diff: str
    status: str
    lost: dict[str, list[str]] = field(default_factory=dict)
    diagnoses: tuple[Entry, ...] = ()
    seconds: float = 0.0
    error: str = ""

    @property
    def killed(self) -> bool:
        """It lost points, or could not be run."""
        return not self.error and bool(self.lost)

    @property
    def first(self) -> Entry | None:
        return self.diagnoses[0] if self.diagnoses else None


class Bench:
    """A warm launcher and the solutions; one in each process."""

    def __init__(self) -> None:
        self.launcher: Launcher = default_launcher()
        self.solutions = read_submission(ROOT / "solutions").files

    def close(self) -> None:
        self.launcher.close()

    def grade(self, exercise: str, text: str) -> ExerciseResult:
        """The result of a text handed in as the exercise."""
        source = parse_source(exercise, f"{exercise}.py", text.encode())
        files = {**self.solutions, exercise: replace(source, module=exercise)}
        return grade(Submission(exercise, files, (exercise,)), self.launcher, budget=BUDGET).exercises[0]

    def can_tell(self, exercise: str) -> bool:
        """Whether the solution passes everything, and the skeleton does not."""
        right = self.grade(exercise, _text("solutions", exercise))
        wrong = self.grade(exercise, _text("skeletons", exercise))
        return right.passed and right.score == right.max_score and not wrong.passed

    def outcome(self, mutant: Mutant) -> Outcome:
        """What grading gave, in short; an error of the grader is an outcome too, and never a kill."""
        about = Outcome(mutant.id, mutant.exercise, mutant.operator, mutant.line, mutant.diff, "error")
        started = time.perf_counter()
        try:
            result = self.grade(mutant.exercise, mutant.text or "")
        except GraderError as error:
            return replace(about, error=error.text.en)
        except Exception as error:  # noqa: BLE001  one that the grader does not survive is worth knowing
            return replace(about, error=f"{type(error).__name__}: {error}")
        seconds = round(time.perf_counter() - started, 3)
        lost: dict[str, list[str]] = {}
        for check in result.checks:
            if check.outcome != "passed":
                lost.setdefault(check.tier, []).append(check.id)
        entries = tuple(
            Entry(
                d.confidence,
                d.tier,
                tuple(f.id for f in d.faults),
                tuple(f.line for f in d.faults),
                d.evidence.en,
            )
            for d in result.diagnoses
        )
        return replace(about, status=result.status, lost=lost, diagnoses=entries, seconds=seconds)


def _text(folder: str, exercise: str) -> str:
    return (ROOT / folder / f"{exercise}.py").read_text(encoding="utf-8")


# -- many -------------------------------------------------------------------------------------------

_bench: Bench | None = None


def _start() -> None:
    global _bench
    _bench = Bench()


def _one(mutant: Mutant) -> Outcome:
    assert _bench is not None
    return _bench.outcome(mutant)


def untold(exercises: Iterable[str]) -> list[str]:
    """The exercises whose suites cannot tell right from wrong: grading mutants would say nothing."""
    with closing(Bench()) as bench:
        return [name for name in exercises if not bench.can_tell(name)]


def graded(mutants: Sequence[Mutant], processes: int = 2) -> Iterator[Outcome]:
    """The outcomes, as they come."""
    if processes < 2:
        with closing(Bench()) as bench:
            yield from map(bench.outcome, mutants)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_start) as pool:
        waiting = {pool.submit(_one, mutant) for mutant in mutants}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)


def write(path: Path, outcome: Outcome) -> None:
    """Adds one line to the file."""
    line = json.dumps(asdict(outcome), ensure_ascii=False)
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())


def read(path: Path) -> dict[str, Outcome]:
    """The outcomes in a file by their ids; a line that was cut off is left out."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        row["diagnoses"] = tuple(
            Entry(**{**e, "faults": tuple(e["faults"]), "lines": tuple(e["lines"])}) for e in row["diagnoses"]
        )
        found[row["id"]] = Outcome(**row)
    return found
