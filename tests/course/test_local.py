"""How many processes a batch on this machine starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import grader.course.local as local
from grader.course.handed import Handed
from grader.course.jobs import Job
from grader.course.settings import GradingSettings


class Enough(Exception):
    """Ends the run where it would begin."""


@pytest.mark.parametrize(("asked", "waiting", "started"), [(5000, 2, 2), (2, 7, 2), (4, 0, 1)])
def test_no_more_processes_than_there_is_work(
    monkeypatch: pytest.MonkeyPatch, asked: int, waiting: int, started: int
) -> None:
    counts: list[int] = []

    class Counting:
        def __init__(self, workers: int, *arguments: Any) -> None:
            counts.append(workers)

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *arguments: object) -> None:
            pass

        def warm(self) -> None:
            pass

        def make(self, number: int, **options: Any) -> Any:
            class Guard:
                close = staticmethod(lambda: None)

                def __call__(self) -> Any:
                    return Counting(0)

            return Guard()

    def run(jobs: Any, settings: Any, listener: Any, places: Any, **options: Any) -> None:
        counts.append(places.workers)
        raise Enough

    monkeypatch.setattr(local, "Zygotes", Counting)
    monkeypatch.setattr(local, "check_marks", lambda settings, session: None)
    monkeypatch.setattr(local, "run_locally", run)
    jobs = [Job(f"{n}", Handed(f"s{n}", None, Path("nowhere"), "folder")) for n in range(waiting)]
    spread = local.LocalSpread(asked, allow_weak=True)
    with pytest.raises(Enough):
        spread(jobs, GradingSettings(("masks",)), None, lambda: None)  # type: ignore[arg-type]
    assert [n for n in counts if n] == [started, started]
