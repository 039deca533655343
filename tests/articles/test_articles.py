"""The code of the two articles, graded as it stands: each folder's ``expect.toml`` says what must be found.

Each file is judged by the contract, with right versions of the other exercises beside it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support import SUBMISSIONS, Grader

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ARTICLES = sorted((SUBMISSIONS / "articles").glob("*/expect.toml"))
CASES = [
    (path.parent, exercise, row)
    for path in ARTICLES
    for exercise, row in tomllib.loads(path.read_text(encoding="utf-8")).items()
]
IDS = [f"{folder.name}/{exercise}" for folder, exercise, _ in CASES]
TOO_MANY = {
    "attention_from_scratch/attention",
    "attention_from_scratch/multi_head_attention",
    "transformer_in_depth/multi_head_attention",
}
MANY = pytest.mark.xfail(reason="more mistakes at once than the search can tell apart")


def test_there_are_two_articles_and_every_file_is_expected() -> None:
    assert len(ARTICLES) == 2
    for path in ARTICLES:
        files = {p.stem for p in path.parent.glob("*.py")}
        assert files == tomllib.loads(path.read_text(encoding="utf-8")).keys()


@pytest.fixture(scope="module")
def graded(grader: Grader) -> Callable[[Path], Any]:
    return functools.cache(lambda path: grader.file(path.stem, path))


@pytest.mark.parametrize(("folder", "exercise", "row"), CASES, ids=IDS)
def test_the_status(
    graded: Callable[[Path], Any], folder: Path, exercise: str, row: dict[str, Any]
) -> None:
    assert graded(folder / f"{exercise}.py").status == row["status"]


@pytest.mark.parametrize(
    ("folder", "exercise", "row"),
    [pytest.param(*case, marks=MANY if name in TOO_MANY else ()) for case, name in zip(CASES, IDS)],
    ids=IDS,
)
def test_the_faults(
    graded: Callable[[Path], Any], folder: Path, exercise: str, row: dict[str, Any]
) -> None:
    result = graded(folder / f"{exercise}.py")
    assert {f.id for d in result.diagnoses for f in d.faults} >= set(row["faults"])


@pytest.mark.slow
@pytest.mark.parametrize("folder", [p.parent for p in ARTICLES], ids=lambda p: p.name)
def test_the_folder_as_a_whole(grader: Grader, folder: Path) -> None:
    report = grader.folder(folder)
    assert not report.passed
    graded = {e.id: e for e in report.exercises}
    assert graded.keys() == {p.stem for p in folder.glob("*.py")}
    for result in graded.values():
        assert result.status in ("passed", "failed", "incomplete", "blocked")
        assert result.status != "blocked" or result.note is not None
