"""A way to reproduce what is wrong with an example, and to run the program that comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader.repro.run import Reproduction, reproduce
from grader.submission.source import Submission, parse_source
from grader.threads import one_thread
from tests.repro.running import Runner
from tests.support import SUBMISSIONS, Grader

Reproduce = Callable[..., Reproduction]


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with one_thread():
        yield


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    with Runner() as found:
        yield found


@pytest.fixture(scope="session")
def reproduced(grader: Grader) -> Reproduce:
    """What `grade repro` finds in a file handed in as an exercise, the others being the solutions."""
    kept: dict[tuple[str, str], Reproduction] = {}

    def run(exercise: str, path: Path | str, **others: Path) -> Reproduction:
        if isinstance(path, str):
            path = SUBMISSIONS / exercise / "chaffs" / f"{path}.py"
        key = exercise, f"{path} {others}"
        if key not in kept:
            files = dict(grader.solutions)
            for name, place in {exercise: path, **others}.items():
                source = parse_source(name, f"{name}.py", place.read_bytes())
                files[name] = replace(source, module=name)
            submission = Submission(exercise, files, (exercise,))
            kept[key] = reproduce(submission, exercise, grader.launcher)
        return kept[key]

    return run
