"""Notebooks as they are handed in: what is read of them, and one clear sentence for what cannot be read."""

# ruff: noqa: E501 (one row a line: what is handed in, and what is said)

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grader.errors import SubmissionError
from grader.submission import notebook as reading
from grader.submission.notebook import Cell, read_notebook
from grader.submission.source import read_submission
from tests.notebook.making import ATTEND, SOLUTION, code, notebook, saved

AGAIN_EN, AGAIN_ZH = "save it again from Jupyter", "请在 Jupyter 中重新保存"
NO_NAMES_EN = (
    "work.ipynb defines none of the functions and classes of the exercises: give their names as in the "
    "skeletons, or tag a cell with the exercise, as in `grade:attention`"
)
NO_NAMES_ZH = (
    "work.ipynb 没有定义任何练习的函数或类：请按骨架命名，或给单元加上练习的标签，例如 `grade:attention`"
)
NO_CODE_EN = "work.ipynb holds no code yet: write your solution in a code cell and save the notebook"
NO_CODE_ZH = "work.ipynb 中还没有代码：请在代码单元中写入你的实现，并保存 notebook"
R = {"metadata": {"kernelspec": {"language": "R", "name": "ir", "display_name": "R"}}}

BAD: dict[str, tuple[str | bytes, str, str]] = {
    "empty": ("", f"work.ipynb cannot be read as a notebook, it is empty: {AGAIN_EN}", f"无法把 work.ipynb 读作 notebook，文件为空：{AGAIN_ZH}"),
    "no JSON": ("import torch", f"work.ipynb cannot be read as a notebook, it is no JSON: {AGAIN_EN}", f"无法把 work.ipynb 读作 notebook，不是 JSON：{AGAIN_ZH}"),
    "no JSON, later": ('{"cells": [],\n oops}', f"work.ipynb cannot be read as a notebook, it is no JSON (line 2): {AGAIN_EN}", f"无法把 work.ipynb 读作 notebook，不是 JSON（第 2 行）：{AGAIN_ZH}"),
    "cut short": (notebook(SOLUTION["attention"])[:200], f"work.ipynb cannot be read as a notebook, it ends too early: {AGAIN_EN}", f"无法把 work.ipynb 读作 notebook，内容不完整：{AGAIN_ZH}"),
    "not UTF-8": (b'{"cells": ["\xff\xfe"]}', f"work.ipynb is not UTF-8 text, so it is no notebook: {AGAIN_EN}", f"work.ipynb 不是 UTF-8 文本，因而不是 notebook：{AGAIN_ZH}"),
    "nested": ("[" * 200_000, f"work.ipynb is nested too deeply to be a notebook: {AGAIN_EN}", f"work.ipynb 嵌套过深，不是 notebook：{AGAIN_ZH}"),
    "a list": ("[]", f"work.ipynb is JSON, but no notebook, for it has no cells: {AGAIN_EN}", f"work.ipynb 是 JSON，但没有单元，不是 notebook：{AGAIN_ZH}"),
    "no cells": (notebook(), NO_CODE_EN, NO_CODE_ZH),
    "cells of another shape": ('{"cells": 7, "worksheets": [3, {"cells": [null, {"cell_type": "code"}]}]}', NO_CODE_EN, NO_CODE_ZH),
    "text only": (json.dumps({"cells": [{"cell_type": "markdown", "source": "# Hello"}]}), NO_CODE_EN, NO_CODE_ZH),
    "blank cells": (notebook("", " \n"), NO_CODE_EN, NO_CODE_ZH),
    "no exercise": (notebook("x = 1", "%matplotlib inline"), NO_NAMES_EN, NO_NAMES_ZH),
    "another language": (notebook("x <- 1", **R), "work.ipynb is a notebook of R, not of Python: change its kernel, or give another one", "work.ipynb 是 R 的 notebook，不是 Python 的：请更换内核，或给出另一个文件"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_one_clear_sentence(name: str, tmp_path: Path) -> None:
    content, en, zh = BAD[name]
    path = tmp_path / "work.ipynb"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SubmissionError) as caught:
        read_submission(path)
    assert [caught.value.text.en, caught.value.text.zh] == [en, zh]


def test_a_large_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "work.ipynb"
    with path.open("wb") as file:
        file.truncate(500 << 20)  # takes no room on the disk
    monkeypatch.setattr(Path, "open", lambda *a, **k: pytest.fail("it was opened"))
    with pytest.raises(SubmissionError) as caught:
        read_notebook(path)
    most = "more than the 64 MiB that are read: clear its outputs and save it again"
    assert caught.value.text.en == f"work.ipynb is 500 MiB large, {most}"


def test_too_much_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_CODE", 100)
    with pytest.raises(SubmissionError, match=r"holds more than 0 KiB of code"):
        read_notebook(saved(tmp_path / "work.ipynb", "#" * 200))


def test_too_many_statements(tmp_path: Path) -> None:
    path = saved(tmp_path / "work.ipynb", *["x = 1\n" * 11_000] * 2)
    with pytest.raises(SubmissionError, match=r"work\.ipynb holds more than 20000 statements"):
        read_submission(path)


def test_numbers_leave_out_blank_cells_and_text(tmp_path: Path) -> None:
    text: dict[str, Any] = {"cell_type": "markdown", "source": "# Title"}
    path = saved(tmp_path / "work.ipynb", text, "", "a = 1", code(["b = 1\n", "c = 2"], "grade:masks", "x"))
    assert read_notebook(path) == (Cell(1, "a = 1"), Cell(2, "b = 1\nc = 2", ("masks",)))


def test_an_older_version(tmp_path: Path) -> None:
    cell = {"cell_type": "code", "input": SOLUTION["attention"], "language": "python", "outputs": []}
    content = {"nbformat": 3, "metadata": {}, "worksheets": [{"cells": [cell]}]}
    path = tmp_path / "work.ipynb"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert read_submission(path).chosen == ("attention",)


def test_outputs_are_passed_over(tmp_path: Path) -> None:
    cell = code(SOLUTION["attention"])
    cell["outputs"] = [{"data": {"image/png": "A" * 300_000}}]
    assert read_submission(saved(tmp_path / "work.ipynb", cell)).chosen == ("attention",)


def test_what_is_no_text_in_a_cell(tmp_path: Path) -> None:
    path = saved(tmp_path / "work.ipynb", f"def {ATTEND}(q): return q\n", code("x = '\ud800'"), "y = '\0'")
    submission = read_submission(path)
    assert submission.chosen == ("attention",)
    assert [n.en.split(" is ")[0] for n in submission.notes] == ["work.ipynb[cell 2]", "work.ipynb[cell 3]"]


# -- folders ----------------------------------------------------------------------------------------


def test_files_and_notebooks_together(tmp_path: Path) -> None:
    (tmp_path / "attention.py").write_text(SOLUTION["attention"], encoding="utf-8")
    saved(tmp_path / "rest.ipynb", SOLUTION["masks"], SOLUTION["multi_head_attention"])
    submission = read_submission(tmp_path)
    assert submission.chosen == ("attention", "masks", "multi_head_attention")
    assert submission.files["attention"].places is None
    assert submission.files["masks"].place(1) == ("rest.ipynb[cell 1]", 6)
    one = read_submission(tmp_path / "rest.ipynb")  # what it imports from beside it is there, ungraded
    assert one.chosen == ("masks", "multi_head_attention")
    assert one.files["attention"].places is None


def test_the_same_exercise_in_two_places(tmp_path: Path) -> None:
    (tmp_path / "attention.py").write_text(SOLUTION["attention"], encoding="utf-8")
    saved(tmp_path / "work.ipynb", SOLUTION["attention"], SOLUTION["masks"])
    with pytest.raises(SubmissionError) as caught:
        read_submission(tmp_path)
    assert caught.value.text.en == (
        "attention is in attention.py and in work.ipynb: remove it from one of them, or grade one file, as in "
        "`grade run work.ipynb`"
    )
    assert caught.value.text.zh.startswith("attention 同时在 attention.py 和 work.ipynb 中")
    assert read_submission(tmp_path, ["masks"]).chosen == ("masks",)
    assert read_submission(tmp_path / "work.ipynb").files["attention"].places is not None


def test_a_skeleton_gives_way_to_what_was_written(tmp_path: Path) -> None:
    from grader.data import skeleton_folder

    (tmp_path / "attention.py").write_bytes((skeleton_folder() / "attention.py").read_bytes())
    saved(tmp_path / "work.ipynb", SOLUTION["attention"])
    assert read_submission(tmp_path).files["attention"].places is not None


def test_a_folder_with_nothing_but_a_broken_notebook(tmp_path: Path) -> None:
    (tmp_path / "work.ipynb").write_text("{", encoding="utf-8")
    with pytest.raises(SubmissionError, match=r"work\.ipynb cannot be read as a notebook"):
        read_submission(tmp_path)
    (tmp_path / "masks.py").write_text(SOLUTION["masks"], encoding="utf-8")
    assert "work.ipynb cannot be read" in read_submission(tmp_path).notes[0].en
