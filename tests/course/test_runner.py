"""Jobs over grader processes: results arrive, a process that dies or hangs is replaced, nothing is left."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from grader.course.contents import read_contents
from grader.course.jobs import Job
from grader.course.records import Graded
from grader.course.runner import Places, patience_for, run_locally
from grader.course.settings import GradingSettings, digest_of
from grader.text import Text
from tests.course.making import FakeSession, a_handed

SETTINGS = GradingSettings(("attention",))
linux = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")


class FakeMaker:
    """The session of a grader process, made in it."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.closed = False

    def __call__(self) -> FakeSession:
        assert not self.closed
        return FakeSession(self.seconds)

    def close(self) -> None:
        self.closed = True


@dataclass
class Heard:
    """Everything that the listener is told."""

    began: list[str] = field(default_factory=list)
    results: dict[str, Graded] = field(default_factory=dict)
    workers: set[str] = field(default_factory=set)
    interrupt_after: int | None = None

    def started(self, digest: str, worker: str) -> None:
        self.began.append(digest)

    def finished(self, digest: str, graded: Graded, worker: str) -> None:
        assert digest not in self.results
        self.results[digest] = graded
        self.workers.add(worker)
        if self.interrupt_after is not None and len(self.results) >= self.interrupt_after:
            raise KeyboardInterrupt


def jobs_of(folder: Path, texts: Iterable[str]) -> list[Job]:
    """One submission for each text."""
    found = []
    for number, text in enumerate(texts):
        place = folder / f"s{number:02d}"
        place.mkdir()
        (place / "attention.py").write_text(f"x = '{text} {number}'\n", encoding="utf-8")
        handed = a_handed(place.name, place)
        found.append(Job(digest_of(read_contents(handed), SETTINGS), handed))
    return found


def run(jobs: list[Job], heard: Heard, workers: int = 2, **more: float) -> Places:
    places = Places(lambda number: FakeMaker(), workers)
    run_locally(jobs, SETTINGS, heard, places, patience=more.get("patience"))
    return places


@linux
def test_every_job_is_done_once(tmp_path: Path) -> None:
    jobs, heard = jobs_of(tmp_path, ["right", "wrong"] * 8), Heard()
    places = run(jobs, heard)
    assert sorted(heard.results) == sorted(j.digest for j in jobs)
    assert Counter(heard.began).most_common(1)[0][1] == 1
    scores = [heard.results[j.digest].report.score for j in jobs]  # type: ignore[union-attr]
    assert scores == [20.0, 18.0] * 8
    assert (places.started, places.replaced) == (2, 0)


@linux
def test_a_grader_that_dies_is_replaced_and_its_submission_never_a_zero(tmp_path: Path) -> None:
    jobs, heard = jobs_of(tmp_path, ["right", "kill", "right", "wrong", "right"]), Heard()
    places = run(jobs, heard)
    lost = heard.results[jobs[1].digest]
    assert lost.by_kit
    assert lost.report is None
    assert lost.problem is not None
    assert "exit code 3" in lost.problem.en
    assert sum(g.report is not None for g in heard.results.values()) == 4
    assert heard.began.count(jobs[1].digest) == 2
    assert places.replaced == 2


@linux
def test_a_grader_that_hangs_is_replaced(tmp_path: Path) -> None:
    jobs, heard = jobs_of(tmp_path, ["hang", "right"]), Heard()
    run(jobs, heard, patience=0.5)
    stuck = heard.results[jobs[0].digest]
    assert stuck.by_kit
    assert stuck.problem is not None
    assert "did not answer" in stuck.problem.en
    assert heard.results[jobs[1].digest].report is not None


@linux
def test_an_error_of_the_kit_is_tried_again_and_then_told(tmp_path: Path) -> None:
    jobs, heard = jobs_of(tmp_path, ["raise", "right"]), Heard()
    run(jobs, heard, workers=1)
    failed = heard.results[jobs[0].digest]
    assert failed.by_kit
    assert failed.problem == Text(
        "a fault of the kit: ValueError: of the kit", "评分工具自身的错误：ValueError: of the kit"
    )
    assert heard.began.count(jobs[0].digest) == 2


@linux
def test_sessions_that_cannot_start_do_not_go_on_for_ever(tmp_path: Path) -> None:
    class Broken(FakeMaker):
        def __call__(self) -> FakeSession:
            os._exit(9)

    jobs, heard = jobs_of(tmp_path, ["right"] * 3), Heard()
    run_locally(jobs, SETTINGS, heard, Places(lambda number: Broken(), 2))
    assert all(g.by_kit for g in heard.results.values())
    assert len(heard.results) == 3


@linux
def test_a_stop_leaves_no_process(tmp_path: Path) -> None:
    jobs, heard = jobs_of(tmp_path, ["right"] * 6), Heard(interrupt_after=2)
    before = children()
    with pytest.raises(KeyboardInterrupt):
        run(jobs, heard)
    assert children() == before


def children() -> set[str]:
    path = Path(f"/proc/self/task/{os.getpid()}/children")
    return set(path.read_text().split()) if path.exists() else set()


@linux
def test_what_changes_under_way_and_what_has_a_problem_needs_no_grader(tmp_path: Path) -> None:
    jobs, heard = jobs_of(tmp_path, ["right", "right"]), Heard()
    (tmp_path / "s00" / "attention.py").write_text("x = 'changed'\n")
    run(jobs, heard)
    changed = heard.results[jobs[0].digest]
    assert changed.by_kit
    assert changed.problem is not None
    assert "changed" in changed.problem.en
    assert jobs[0].digest not in heard.began


@linux
def test_a_grader_is_replaced_after_many_submissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.course.runner.RECYCLE_AFTER", 2)
    jobs, heard = jobs_of(tmp_path, ["right"] * 6), Heard()
    places = run(jobs, heard, workers=1)
    assert len(heard.results) == 6
    assert places.started == 3


def test_the_patience_covers_every_limit() -> None:
    assert patience_for(SETTINGS) == 60 + 4 * 60
    assert patience_for(GradingSettings(("attention", "masks"), {"total": 5.0})) == 60 + 4 * 10
