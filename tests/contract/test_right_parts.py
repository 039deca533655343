"""Exercises on top of earlier parts that are right, and written in every other way.

A part keeps all its points in small departures, as a divisor that is kept from zero by 1e-8.  What stands on
it must not lose its own for them.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.marking.session import Session
from grader.submission.source import read_submission
from tests.support import ROOT, SUBMISSIONS, Grader

LATER = {
    "attention": ("multi_head_attention", "encoder_block", "encoder"),
    "masks": ("encoder", "tiny_transformer"),
    "positional_encoding": ("encoder",),
    "multi_head_attention": ("encoder_block", "encoder"),
    "layer_norm": ("encoder_block", "encoder"),
    "encoder_block": ("encoder", "tiny_transformer"),
    "encoder": ("tiny_transformer",),
}
TELLING = {"divisor_kept_from_zero"}  # always tried; of the others, a few
EVERY = 15


def parts() -> list[object]:
    """Every part once; most of them only where there is time."""
    found: list[object] = []
    for name in LATER:
        for number, path in enumerate(sorted((SUBMISSIONS / name / "wheats").glob("*.py"))):
            quick = path.stem in TELLING or number % EVERY == 0
            marks = () if quick else (pytest.mark.slow,)
            found.append(pytest.param(path, id=f"{name}/{path.stem}", marks=marks))
    return found


@pytest.mark.parametrize("path", parts())
def test_on_a_right_part_nothing_is_lost(path: Path, tmp_path: Path, grader: Grader) -> None:
    for solution in (ROOT / "solutions").glob("*.py"):
        shutil.copy(solution, tmp_path)
    name = path.parent.parent.name
    shutil.copy(path, tmp_path / f"{name}.py")
    later = LATER[name]
    report = Session(grader.launcher).grade(read_submission(tmp_path, later), only=later)
    lost = [(e.id, c.id, c.message) for e in report.exercises for c in e.checks if c.outcome != "passed"]
    assert not lost
