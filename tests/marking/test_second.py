"""Two graders share the checks of an exercise: the verdict is that of one."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader.marking.records import Report
from grader.marking.second import Second
from grader.marking.session import Session
from grader.submission.launcher import ZygoteLauncher
from grader.submission.source import read_submission
from tests.support import SUBMISSIONS

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or len(os.sched_getaffinity(0)) < 2, reason="takes two cores"
)

LATE = """
import torch

calls = 0


def padding_mask(token_ids, pad_id=0):
    global calls
    calls += 1
    print("call", calls)
    if calls > 3:
        raise SystemExit(7)
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()


def combine_masks(padding, causal):
    return padding & causal


def apply_mask(scores, mask):
    return scores.masked_fill(~mask.bool(), float("-inf"))
"""


@pytest.fixture(scope="module")
def launcher() -> Iterator[ZygoteLauncher]:
    with ZygoteLauncher() as found:
        assert isinstance(found, ZygoteLauncher)
        yield found


@pytest.fixture(scope="module")
def prompt(launcher: ZygoteLauncher) -> Iterator[Session]:
    with Session(launcher, prompt=True) as session:
        yield session


def files() -> list[Path]:
    return [
        path
        for name in ("masks", "attention", "layer_norm")
        for kind in ("wheats", "chaffs")
        for path in sorted((SUBMISSIONS / name / kind).glob("*.py"))[::40]
    ]


def verdict(session: Session, path: Path, folder: Path) -> Report:
    name = path.parent.parent.name
    (folder / f"{name}.py").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    return timeless(session.grade(read_submission(folder, [name])))


def timeless(report: Report) -> Report:
    exercises = tuple(replace(e, seconds=0.0) for e in report.exercises)
    return replace(report, exercises=exercises, seconds=0.0)


@pytest.mark.parametrize("path", files(), ids=lambda p: f"{p.parent.parent.name}/{p.name}")
def test_the_same_verdict(prompt: Session, launcher: ZygoteLauncher, path: Path, tmp_path: Path) -> None:
    alone = verdict(Session(launcher), path, tmp_path)
    verdict(prompt, path, tmp_path)  # the fork is there from the second verdict on
    assert repr(verdict(prompt, path, tmp_path)) == repr(alone)  # where a NaN is equal to itself


def test_both_run_checks(prompt: Session, launcher: ZygoteLauncher, tmp_path: Path) -> None:
    path = SUBMISSIONS / "masks" / "wheats"
    verdict(prompt, next(iter(sorted(path.glob("*.py")))), tmp_path)
    second = prompt._second
    assert second is not None
    half = second.half(read_submission(tmp_path, ["masks"]), "masks", {}, False)
    assert half is not None
    ran = half.ran()
    assert ran is not None
    assert {c.id for c in ran.checks} == half.checks
    assert len(half.checks) > 3
    assert all(c.outcome == "passed" for c in ran.checks)


def test_a_submission_that_ends_its_worker(launcher: ZygoteLauncher, tmp_path: Path) -> None:
    """What stops a worker is judged by one grader alone, with one count of stops."""
    (tmp_path / "masks.py").write_text(LATE, encoding="utf-8")
    with Session(launcher, prompt=True) as session:
        reports = [session.grade(read_submission(tmp_path, ["masks"])) for _ in range(3)]
    outcomes = [[(c.id, c.outcome) for c in r.exercises[0].checks] for r in reports]
    assert any(outcome == "failed" for _, outcome in outcomes[0])
    assert [[c for c, _ in one] for one in outcomes] == [[c for c, _ in outcomes[0]]] * 3


def test_one_that_was_killed(launcher: ZygoteLauncher, tmp_path: Path) -> None:
    path = next(iter(sorted((SUBMISSIONS / "masks" / "wheats").glob("*.py"))))
    with Session(launcher, prompt=True) as session:
        first = verdict(session, path, tmp_path)
        assert session._second is not None
        os.kill(session._second.pid, signal.SIGKILL)
        assert verdict(session, path, tmp_path) == first
        assert verdict(session, path, tmp_path) == first


def test_it_ends_with_the_session(launcher: ZygoteLauncher, tmp_path: Path) -> None:
    path = next(iter(sorted((SUBMISSIONS / "masks" / "wheats").glob("*.py"))))
    session = Session(launcher, prompt=True)
    verdict(session, path, tmp_path)
    second = session._second
    assert isinstance(second, Second)
    session.close()
    assert not second.alive
    with pytest.raises(ProcessLookupError):
        os.kill(second.pid, 0)


@pytest.mark.parametrize("lost", [False, True])
def test_both_make_the_calls_that_tell_mistakes_apart(
    launcher: ZygoteLauncher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: bool
) -> None:
    """And the first one makes them all where the second one has no answer."""
    path = sorted((SUBMISSIONS / "masks" / "chaffs").glob("*.py"))[0]
    alone = verdict(Session(launcher), path, tmp_path)
    asked: list[int] = []
    call = Second._call

    def noted(self: Second, probes: tuple[str, ...]) -> bool:
        asked.append(len(probes))
        return call(self, ("no such probe",) if lost else probes)

    monkeypatch.setattr(Second, "_call", noted)
    with Session(launcher, prompt=True) as session:
        verdict(session, path, tmp_path)
        assert verdict(session, path, tmp_path) == alone
    assert asked
    assert min(asked) > 3


def test_nothing_is_left_at_rest(launcher: ZygoteLauncher, tmp_path: Path) -> None:
    path = sorted((SUBMISSIONS / "masks" / "chaffs").glob("*.py"))[0]
    with Session(launcher, prompt=True) as session:
        reports = []
        for _ in range(3):
            reports.append(verdict(session, path, tmp_path))
            session.rest()
        assert reports[1:] == reports[:1] * 2
