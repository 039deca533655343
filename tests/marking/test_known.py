"""What earlier exercises gave is kept for the next save, as long as nothing of theirs changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.data import solution_folder
from grader.marking.known import Known
from grader.marking.records import ExerciseResult
from grader.submission.source import Submission, read_submission
from grader.text import Text


def submission(folder: Path, **files: str) -> Submission:
    for path in solution_folder().glob("*.py"):
        (folder / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return replace(read_submission(folder), chosen=("encoder_block",))


class Marking:
    def __init__(self, status: str = "passed") -> None:
        self.times = 0
        self.status = status

    def __call__(self) -> ExerciseResult:
        self.times += 1
        title = Text.same(str(self.times))
        return ExerciseResult("attention", title, self.status, 1.0, 1.0, 0.0, (), ())


def test_it_is_marked_once_while_only_the_exercise_at_work_changes(tmp_path: Path) -> None:
    known, marking = Known(), Marking()
    for text in ("x = 1\n", "x = 2\n"):
        known.plain("attention", submission(tmp_path, encoder_block=text), False, marking)
    assert marking.times == 1
    known.plain("attention", submission(tmp_path, encoder_block="x = 3\n"), True, marking)
    assert marking.times == 2
    known.plain("attention", submission(tmp_path, attention="x = 1\n"), False, marking)
    assert marking.times == 3


@pytest.mark.parametrize(
    "text",
    [
        "import encoder_block\n",
        "import math, encoder_block as b\n",
        "try:\n    from encoder_block import *\nexcept ImportError:\n    pass\n",
        "from masks import causal_mask\n",
    ],
)
def test_what_an_exercise_imports_counts(tmp_path: Path, text: str) -> None:
    known, marking = Known(), Marking()
    for line in ("import encoder_block\n", "import encoder_block  # once more\n"):
        given = submission(tmp_path, attention=text, masks=line, encoder_block=f"{line}x = 1\n")
        known.plain("attention", given, False, marking)
    assert marking.times == 2


@pytest.mark.parametrize(
    "text", ["import importlib\n", "import sys\nsys.modules\n", "import \\\n  math\n", "exec('x')\n"]
)
def test_where_imports_cannot_be_told_it_is_marked_each_time(tmp_path: Path, text: str) -> None:
    known, marking = Known(), Marking()
    for _ in range(2):
        known.plain("attention", submission(tmp_path, attention=text), False, marking)
    assert marking.times == 2


def test_what_was_stopped_is_tried_again(tmp_path: Path) -> None:
    known, marking = Known(), Marking("stopped")
    for _ in range(2):
        known.plain("attention", submission(tmp_path), False, marking)
    assert marking.times == 2
