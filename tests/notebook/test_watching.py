"""The desk and a notebook that is saved: the exercises that changed in it are graded, and no others."""

from __future__ import annotations

from pathlib import Path

from grader.exercises.registry import exercise
from grader.marking.records import ExerciseResult
from grader.submission.source import Submission
from grader.watch.desk import Desk
from grader.watch.saves import ANY
from grader.workspace.place import Workspace
from tests.notebook.making import ATTEND, SOLUTION, WRONG, saved
from tests.watch.test_desk import FakeScreen


def test_a_saved_notebook(tmp_path: Path) -> None:
    Workspace.make(tmp_path)
    graded: list[str] = []

    def grade(submission: Submission, name: str) -> ExerciseResult:
        graded.append(name)
        return ExerciseResult(name, exercise(name).title, "failed", 1.0, 20.0, 0.1)

    path = saved(tmp_path / "work.ipynb", WRONG, SOLUTION["masks"])
    desk = Desk(tmp_path, ("attention", "masks"), FakeScreen(), grade)
    desk.start()
    while desk.idle():
        pass
    assert graded == ["attention", "masks"]
    desk.saved({ANY})
    assert graded == ["attention", "masks"]  # nothing has changed
    saved(path, SOLUTION["attention"], SOLUTION["masks"], "x = 1")
    desk.saved({ANY})
    assert graded == ["attention", "masks", "attention"]
    saved(path, SOLUTION["attention"], f"def {ATTEND}(q): return q", "# empty")
    desk.saved({ANY})
    while desk.idle():
        pass
    assert graded[3:] == ["attention", "masks"]  # one is gone
