"""The notebook of `grade init --notebook`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner, Result

from grader.cli.main import cli
from grader.exercises.registry import all_exercises, module_names
from grader.notebook.skeletons import NAME, skeleton_notebook
from grader.submission.source import read_submission
from tests.support import ROOT


def grade(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(w) for w in words], prog_name="grade")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_is_valid_and_always_the_same(language: str) -> None:
    text = skeleton_notebook(language)
    assert text == skeleton_notebook(language)
    made = nbformat.reads(text, as_version=nbformat.NO_CONVERT)
    nbformat.validate(made)
    assert (made.nbformat, made.nbformat_minor) == (4, 5)
    ids = [cell.id for cell in made.cells]
    assert len(set(ids)) == len(ids)
    assert not [cell for cell in made.cells if cell.cell_type == "code" and cell.outputs]


def test_it_holds_the_skeletons(tmp_path: Path) -> None:
    assert grade("init", "--notebook", tmp_path / "a folder").exit_code == 0
    submission = read_submission(tmp_path / "a folder" / NAME)
    assert submission.chosen == module_names()
    for exercise in all_exercises():
        skeleton = (ROOT / "skeletons" / f"{exercise.id}.py").read_text(encoding="utf-8")
        file = submission.files[exercise.id]
        assert file.problem is None
        assert not file.begun(exercise)
        assert not file.imports(module_names())  # nothing is written yet that would need them
        for line in file.text.split("\n"):
            assert line in skeleton.replace("  # noqa: F401", "").split("\n") or line in skeleton
        tags = f'"grade:{exercise.id}"'
        text = (tmp_path / "a folder" / NAME).read_text(encoding="utf-8")
        assert tags in text
        assert f'check(\\"{exercise.id}\\")' in text
    assert "noqa" not in text


def test_a_finished_notebook_imports_between_exercises(tmp_path: Path) -> None:
    made = nbformat.reads(skeleton_notebook("en"), as_version=4)
    for cell in made.cells:
        if cell.id == "multi_head_attention-2":
            cell.source = re.sub(
                r"        raise NotImplementedError.*",
                "        scaled_dot_product_attention(1, 2, 3)",
                cell.source,
            )
    nbformat.write(made, tmp_path / NAME)
    file = read_submission(tmp_path / NAME).files["multi_head_attention"]
    assert list(file.imports(module_names())) == ["attention"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_init_never_overwrites(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: Callable[[str, str], None]
) -> None:
    monkeypatch.chdir(tmp_path)
    first = grade("init", "--notebook", "--lang", language)
    (tmp_path / NAME).write_text("my work", encoding="utf-8")
    second = grade("init", "--notebook", "--lang", language)
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert (tmp_path / NAME).read_text(encoding="utf-8") == "my work"
    assert sorted(p.name for p in tmp_path.iterdir()) == [".grade", NAME]
    snapshot(f"init.{language}", first.output + second.output)
