"""What exercises gave is shared by the processes of a batch, and by the next run."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from grader.course.kept import KeptResults, prepared
from grader.course.settings import GradingSettings
from grader.data import solution_folder
from grader.marking.known import FINAL, PLAIN, UNDIAGNOSED, Known
from grader.marking.records import CheckResult, Diagnosis, ExerciseResult, NamedFault
from grader.marking.session import Session
from grader.submission.launcher import Handle, Launcher
from grader.submission.source import Submission, read_submission
from grader.text import Text
from tests.support import Grader

SETTINGS = GradingSettings(("attention", "masks"))
WORD = Text("a word", "词")


def result(score: float = 1.0, status: str = "failed") -> ExerciseResult:
    check = CheckResult("mask", WORD, "core", "failed", 0.0, 1.0, WORD, "missing-scale", "attention.py", 3)
    fault = NamedFault("missing-scale", WORD, WORD, (WORD, WORD), "attention.py", 3)
    found = Diagnosis((fault,), "core", "confirmed", WORD)
    return ExerciseResult("attention", WORD, status, score, 2.0, 0.1, (check,), (found,), printed="é\n")


def opened(path: Path, settings: GradingSettings = SETTINGS, *, anew: bool = False) -> KeptResults:
    at = prepared(path, settings, anew=anew)
    assert at is not None
    kept = at.open()
    assert kept is not None
    return kept


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "exercises.sqlite"


def test_what_one_process_finds_another_has(path: Path) -> None:
    at = prepared(path, SETTINGS)
    assert at is not None
    child = os.fork()
    if child == 0:
        kept = at.open()
        assert kept is not None
        kept.keep(b"a", result())
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    kept = at.open()
    assert kept is not None
    assert kept.find(b"a") == result()
    assert kept.find(b"b") is None
    kept.keep(b"a", result(0.5))  # the first holds
    assert kept.find(b"a") == result()
    kept.close()


def test_it_holds_for_the_next_run_with_the_same_settings(path: Path) -> None:
    first = opened(path)
    first.keep(b"a", result())
    first.close()
    again = opened(path)
    assert again.find(b"a") == result()
    again.close()
    other = opened(path, GradingSettings(("attention", "masks"), {"call": 1.0}))
    assert other.find(b"a") is None
    other.close()
    back = opened(path)
    assert back.find(b"a") is None  # what other settings gave goes
    back.close()


def test_anew_nothing_holds(path: Path) -> None:
    first = opened(path)
    first.keep(b"a", result())
    first.close()
    again = opened(path, anew=True)
    assert again.find(b"a") is None
    again.close()


def test_a_damaged_file_is_begun_again(path: Path) -> None:
    path.write_bytes(b"no database at all" * 1000)
    kept = opened(path)
    kept.keep(b"a", result())
    assert kept.find(b"a") == result()
    kept.close()


def test_a_damaged_result_is_found_again(path: Path) -> None:
    kept = opened(path)
    kept.keep(b"a", result())
    with sqlite3.connect(path) as base:
        base.execute("UPDATE results SET result = x'00'")
    base.close()
    assert kept.find(b"a") is None
    kept.close()


def test_where_there_can_be_no_file_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    assert prepared(tmp_path / "taken", SETTINGS) is None
    assert prepared(tmp_path / "nowhere" / "file", SETTINGS) is None


@pytest.fixture
def submission(tmp_path: Path) -> Submission:
    for name in ("attention", "masks"):
        text = (solution_folder() / f"{name}.py").read_text(encoding="utf-8")
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    return replace(read_submission(tmp_path), chosen=("attention",))


def test_a_result_is_asked_for_beyond_once(path: Path, submission: Submission) -> None:
    kept = opened(path)
    Known(4, kept).keep("attention", submission, (PLAIN, False), result(status="passed"))
    known = Known(4, kept)
    kind = PLAIN, False
    assert known.find("attention", submission, (PLAIN, True)) is None
    assert known.find("attention", submission, kind) == result(status="passed")
    kept.close()
    assert known.find("attention", submission, kind) == result(status="passed")


def test_without_its_diagnosis_it_holds_only_where_something_else_counts(submission: Submission) -> None:
    known = Known()
    known.keep("attention", submission, (UNDIAGNOSED, False), result())
    assert known.marked("attention", submission, with_reference=False) is None
    known.keep("attention", submission, (FINAL, False), result(2.0))
    assert known.marked("attention", submission, with_reference=False) == result()
    known.keep("attention", submission, (PLAIN, False), result(0.5))
    assert known.marked("attention", submission, with_reference=False) == result(0.5)


class Counting(Launcher):
    """Counts the workers that are asked for."""

    def __init__(self, inner: Launcher) -> None:
        self.inner = inner
        self.launched = 0

    def launch(self, limits: Mapping[str, int], *, early: bool = False) -> Handle:
        self.launched += 1
        return self.inner.launch(limits, early=early)

    def end(self, handle: Handle, patience: float = 0.0) -> int | None:
        return self.inner.end(handle, patience)

    def lane(self) -> Launcher:
        return self.inner.lane()

    def layers(self) -> tuple[str, ...]:
        return self.inner.layers()


EXERCISES = ("attention", "masks", "multi_head_attention")
SUBMISSIONS = Path(__file__).parent.parent / "submissions"


def handed_in(folder: Path, **texts: str) -> Submission:
    folder.mkdir()
    for name in EXERCISES:
        text = texts.get(name) or (solution_folder() / f"{name}.py").read_text(encoding="utf-8")
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return replace(read_submission(folder), chosen=EXERCISES)


def test_of_what_is_handed_in_again_only_what_changed_is_marked(
    path: Path, tmp_path: Path, grader: Grader
) -> None:
    wrong = (SUBMISSIONS / "attention" / "chaffs" / "missing_scale_matmul.py").read_text(encoding="utf-8")
    at = prepared(path, SETTINGS)
    assert at is not None
    launcher = Counting(grader.launcher)

    def graded(submission: Submission) -> tuple[list[ExerciseResult], int]:
        before = launcher.launched
        report = Session(launcher, known=Known(9, at.open())).grade(submission)
        return [replace(e, seconds=0.0) for e in report.exercises], launcher.launched - before

    first, many = graded(handed_in(tmp_path / "first", attention=wrong))
    assert first[2].carried_forward_from == ("attention",)
    again, none = graded(handed_in(tmp_path / "again", attention=wrong))
    assert again == first
    masks = (SUBMISSIONS / "masks" / "wheats" / "python_loops.py").read_text(encoding="utf-8")
    other, few = graded(handed_in(tmp_path / "other", attention=wrong, masks=masks))
    assert [other[0], other[2]] == [first[0], first[2]]
    assert (none, few) == (0, 1)
    assert many > 3
