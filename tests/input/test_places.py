"""Folders and files that are not what was meant: exit code 2, one sentence, in both languages."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.cli.main import cli
from grader.submission import source as reading
from grader.submission.source import read_submission
from grader.text import Text
from tests.support import ROOT, Grader

ATTENTION = (ROOT / "solutions" / "attention.py").read_text(encoding="utf-8")
MASKS = (ROOT / "solutions" / "masks.py").read_text(encoding="utf-8")
NAMES = "attention.py, masks.py"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")


def refused(*words: str) -> tuple[str, str]:
    """What `grade run` says, in English and Chinese, when it cannot grade."""
    said = []
    for language in ("en", "zh"):
        done = CliRunner().invoke(cli, ["run", "--lang", language, *words])
        assert done.exit_code == 2, done.output
        assert done.stdout == ""
        assert "Traceback" not in done.output
        assert done.stderr.startswith("grade: ")
        assert done.stderr.count("\n") == 1
        said.append(done.stderr.removeprefix("grade: ").strip())
    return said[0], said[1]


# -- nothing to grade -------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["nowhere", "./nowhere", "nowhere/attention.py"])
def test_no_such_place(place: Path, words: str) -> None:
    en, zh = refused("--path", words)
    path = words.removeprefix("./")
    assert en == f"there is no such file or folder: {path}; `grade init` makes a workspace"
    assert zh == f"没有这个文件或文件夹：{path}；可用 `grade init` 建立练习目录"


def test_a_name_that_is_too_long(place: Path) -> None:
    en, zh = refused("a" * 300 + ".py")
    assert en.startswith("aaa")
    assert en.endswith("cannot be read: File name too long")
    assert "无法读取" in zh


def test_an_empty_folder(place: Path) -> None:
    en, zh = refused()
    assert en.startswith(f"no exercise file in .: expected any of {NAMES}")
    assert en.endswith("; `grade init` makes a workspace")
    assert zh.endswith("；可用 `grade init` 建立练习目录")


def test_the_folder_above(place: Path) -> None:
    write(place / "__pycache__", attention="")
    write(place / "作业 1", attention=ATTENTION)
    en, zh = refused()
    assert en.endswith("; did you mean --path 作业 1?")
    assert zh.endswith("；你是否想用 --path 作业 1？")


def test_an_exercise_that_is_not_here(place: Path) -> None:
    write(place, masks=MASKS)
    en, zh = refused("attention")
    assert en == "there is no attention.py in .; `grade init` makes a workspace"
    assert zh == ". 中没有 attention.py；可用 `grade init` 建立练习目录"


@pytest.mark.parametrize("name", ["Attention.PY", "my_attention.py", "attention (1).py", "attenton.py"])
def test_a_file_with_a_similar_name(place: Path, name: str) -> None:
    """It is taken, and that is said; where its content does not agree, it is named."""
    (place / name).write_text(ATTENTION, encoding="utf-8")
    write(place, masks=MASKS)
    found = read_submission(place)
    assert found.chosen == ("attention", "masks")
    assert (found.files["attention"].name, found.files["attention"].problem) == (name, None)
    assert found.notes == (Text(f"{name} is graded as attention.py", f"{name} 按 attention.py 评分"),)
    assert read_submission(place / name, ["attention"]).chosen == ("attention",)


def test_a_similar_name_alone_is_not_enough(place: Path) -> None:
    write(place, my_attention="x = 1\n")
    en, zh = refused()
    assert en.endswith("; there is my_attention.py: rename it to attention.py, or give the file itself")
    assert zh.endswith("；其中有 my_attention.py：请改名为 attention.py，或直接给出这个文件")


def test_two_files_with_similar_names_are_left_aside_and_named(place: Path) -> None:
    write(place, masks=MASKS, attention_a=ATTENTION, attention_b=f"{ATTENTION}#")
    found = read_submission(place)
    assert found.chosen == ("masks",)
    (note,) = found.notes
    assert "more than one file could be it (attention_a.py, attention_b.py)" in note.en
    assert "（attention_a.py, attention_b.py）" in note.zh


def test_a_file_that_defines_what_was_asked_for_is_named(place: Path) -> None:
    write(place, masks=MASKS, hw1=ATTENTION)
    assert read_submission(place).notes == ()
    (note,) = read_submission(place, ["attention", "masks"]).notes
    assert note.en == "there is no attention.py; hw1.py defines some of it and was left aside: rename it"
    assert note.zh.startswith("没有 attention.py；hw1.py 中定义了")


def test_a_folder_of_notebooks(place: Path) -> None:
    (place / "hw.ipynb").write_text('{"cells": [{"cell_type": "code", "source": "x = 1"}]}', encoding="utf-8")
    en, zh = refused()
    assert en.endswith("; hw.ipynb defines none of their functions")
    assert zh.endswith("；hw.ipynb 没有定义其中的函数")


def test_a_notebook(place: Path) -> None:
    (place / "hw.ipynb").write_text("{}", encoding="utf-8")
    why_en = "hw.ipynb is JSON, but no notebook, for it has no cells: save it again from Jupyter"
    why_zh = "hw.ipynb 是 JSON，但没有单元，不是 notebook：请在 Jupyter 中重新保存"
    assert refused("hw.ipynb") == (why_en, why_zh)
    en, zh = refused()
    assert en.endswith(f"; {why_en}")
    assert zh.endswith(f"；{why_zh}")


def test_no_python(place: Path) -> None:
    (place / "notes.txt").write_text("", encoding="utf-8")
    en, zh = refused("--path", "notes.txt")
    assert en == "notes.txt is not a Python file; give a folder, a .py file or a notebook"
    assert zh.startswith("notes.txt 不是 Python 文件")


def test_a_file_that_is_no_exercise(place: Path) -> None:
    write(place, foo="x = 1\n", bar="def (\n")
    assert refused("foo.py")[0].startswith(f"foo.py is none of the exercises: expected {NAMES}")
    en, zh = refused("bar.py")
    assert en.startswith("bar.py is none of the exercises (syntax error at bar.py:1: invalid syntax): ")
    assert zh.startswith("bar.py 不属于任何练习（bar.py:1 处有语法错误：invalid syntax）：应为")


def test_links_that_lead_nowhere(place: Path) -> None:
    (place / "attention.py").symlink_to("attention.py")
    (place / "masks.py").symlink_to("gone.py")
    for name in ("attention.py", "masks.py"):
        assert refused(name) == (f"{name} is a link that leads nowhere", f"{name} 是无效的链接")


def test_a_file_that_may_not_be_opened(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(place, attention=ATTENTION)
    monkeypatch.setattr(reading.Path, "open", _denied)  # not by its mode: root may read everything
    assert refused("attention.py") == (
        "attention.py cannot be read: Permission denied",
        "无法读取 attention.py：Permission denied",
    )


def test_a_folder_that_may_not_be_listed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading.Path, "iterdir", _denied)
    assert refused() == (". cannot be read: Permission denied", "无法读取 .：Permission denied")


def _denied(*words: object, **more: object) -> None:
    raise PermissionError(13, "Permission denied")


# -- one file of several ----------------------------------------------------------------------------


def _folder(path: Path) -> None:
    path.mkdir()


def _link(path: Path) -> None:
    path.symlink_to(path.name)


def _link_out(path: Path) -> None:
    path.symlink_to(ROOT / "solutions" / path.name)


def _pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("make", "en", "zh"),
    [
        (_folder, "is a folder, not a file", "是文件夹，不是文件"),
        (_link, "is a link that leads nowhere", "是无效的链接"),
        (
            _link_out,  # to the solution, say
            "is a link to a place outside the folder: put the file itself there",
            "是指向文件夹之外的链接：请放入文件本身",
        ),
        (_pipe, "is not an ordinary file", "不是普通文件"),
    ],
)
def test_the_others_are_graded(
    grader: Grader, tmp_path: Path, make: Callable[[Path], None], en: str, zh: str
) -> None:
    write(tmp_path, masks=MASKS)
    make(tmp_path / "attention.py")
    attention, masks = grader.folder(tmp_path).exercises
    assert attention.status == "error"
    assert (attention.note.en, attention.note.zh) == (f"attention.py {en}", f"attention.py {zh}")
    assert [f.id for f in attention.diagnoses[0].faults] == ["unreadable-file"]
    assert masks.status == "passed"


def test_one_unreadable_file_is_no_reason_to_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, attention=ATTENTION, masks=MASKS)
    opened = Path.open

    def choosy(path: Path, *words: object, **more: object) -> object:
        return _denied() if path.stem == "attention" else opened(path, *words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(reading.Path, "open", choosy)
    files = read_submission(tmp_path).files
    assert files["attention"].problem.text.en == "attention.py cannot be read: Permission denied"
    assert files["masks"].problem is None


def test_a_link_within_the_folder_is_followed(tmp_path: Path) -> None:
    write(tmp_path / "old", attention=ATTENTION)
    (tmp_path / "attention.py").symlink_to("old/attention.py")
    assert read_submission(tmp_path).files["attention"].problem is None


def test_helpers_that_lead_out_are_not_read(tmp_path: Path) -> None:
    write(tmp_path, masks="import helper\n")
    (tmp_path / "helper.py").symlink_to(ROOT / "solutions" / "masks.py")
    assert read_submission(tmp_path).sources().keys() == {"masks"}


def test_exercises_are_not_lost_in_a_crowd(tmp_path: Path) -> None:
    write(tmp_path, masks=MASKS, **{f"a{n}": "" for n in range(reading.MAX_FILES + 5)})
    assert read_submission(tmp_path).chosen == ("masks",)


def test_a_path_with_spaces_and_chinese(grader: Grader, tmp_path: Path) -> None:
    folder = tmp_path / "第 一 次 作业"
    write(folder, attention=ATTENTION)
    assert grader.folder(folder).passed


# -- a single file ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "chosen"),
    [
        ("attention", ATTENTION, ("attention",)),
        ("attention", MASKS, ("attention",)),  # the name decides: what it lacks is said there
        ("my_attention", ATTENTION, ("attention",)),
        ("MyMultiHeadAttention", "class MultiHeadAttention: pass\n", ("multi_head_attention",)),
        ("Masks (2)", "def causal_mask(size): pass\n", ("masks",)),
        ("homework", ATTENTION, ("attention",)),
        ("homework", f"{ATTENTION}\n{MASKS}", ("attention", "masks")),
        ("homework", f"{ATTENTION}\ndef causal_mask(size): pass\n", ("attention",)),
        ("homework", "def causal_mask(size): pass\n", ("masks",)),
        ("my_attention", "def (\n", ("attention",)),
    ],
)
def test_what_a_single_file_is(tmp_path: Path, name: str, text: str, chosen: tuple[str, ...]) -> None:
    write(tmp_path, **{name: text})
    assert read_submission(tmp_path / f"{name}.py").chosen == chosen


def test_a_single_file_replaces_its_namesake(tmp_path: Path) -> None:
    write(tmp_path, attention="old = 1\n", new_attention=ATTENTION, masks=MASKS)
    found = read_submission(tmp_path / "new_attention.py")
    assert found.chosen == ("attention",)
    assert found.files["attention"].text == ATTENTION
    assert "masks" in found.files


def test_the_report_says_what_a_file_was_taken_for(place: Path) -> None:
    write(place, homework=f"{ATTENTION}\n{MASKS}")
    done = CliRunner().invoke(cli, ["run", "--lang", "en", "homework.py"])
    assert done.exit_code == 0, done.output
    first = done.stdout.splitlines()[0]
    assert first == "homework.py is graded as attention, masks; what else is in it is not graded."
    done = CliRunner().invoke(cli, ["run", "--lang", "zh", "homework.py", "masks"])
    assert done.stdout.splitlines()[0] == "homework.py 按 masks 评分；其中的其他内容不评分。"


def test_the_next_command_names_the_file(place: Path) -> None:
    write(place, my_attention=(ROOT / "skeletons" / "attention.py").read_text(encoding="utf-8"))
    done = CliRunner().invoke(cli, ["run", "--lang", "en", "my_attention.py"])
    assert "then run `grade run my_attention.py`." in done.stdout
