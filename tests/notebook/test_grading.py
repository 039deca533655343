"""Notebooks that are graded: cells and their lines in the report, and the same marks as files get."""

# ruff: noqa: E501 (one row a line: what is handed in, and what is said)

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.cli.targets import find_targets
from grader.exercises.registry import module_names
from grader.marking.records import Report
from grader.marking.session import Session
from grader.reports.json_report import report_object
from grader.reports.output import make_console
from grader.reports.terminal import print_report
from grader.submission.source import read_submission
from tests.notebook.making import ATTEND, SOLUTION, WRONG, code, saved, without_imports
from tests.support import Grader


@pytest.fixture(scope="module")
def session(grader: Grader) -> Iterator[Session]:
    with Session(grader.launcher) as found:
        yield found


def graded(session: Session, path: Path, *only: str) -> Report:
    submission = read_submission(path, only)
    return session.grade(submission, only=only)


LINE = WRONG[: WRONG.index("* math.sqrt")].count("\n") + 1
HEADS = without_imports(SOLUTION["multi_head_attention"])


@pytest.fixture(scope="module")
def wrong(session: Session, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A mistake in the cell of the attention, and a right multi-head attention that stands on it."""
    path = tmp_path_factory.mktemp("a folder") / "work.ipynb"
    saved(
        path, "%matplotlib inline\n!ls", "while True: pass", WRONG, code(HEADS, "grade:multi_head_attention")
    )
    return graded(session, path)


def test_places_are_cells(wrong: Report) -> None:
    fault = wrong.exercises[0].diagnoses[0].faults[0]
    assert (fault.id, fault.file, fault.line) == ("scale-multiplied", "work.ipynb[cell 3]", LINE)
    shown = report_object(wrong, "en")["exercises"][0]["diagnoses"][0]["faults"][0]
    assert (shown["file"], shown["line"]) == ("work.ipynb[cell 3]", LINE)
    assert "attention.py" not in json.dumps(report_object(wrong, "en"))


def test_a_mistake_is_carried_forward(wrong: Report) -> None:
    heads = wrong.exercises[1]
    assert (heads.status, heads.score) == ("passed", heads.max_score)
    assert heads.carried_forward_from == ("attention",)
    with io.StringIO() as stream:
        print_report(wrong, make_console(stream, width=100), "en")
        assert "marked on top of your own attention: a mistake" in stream.getvalue()


def test_the_terminal_opens_the_notebook(wrong: Report, tmp_path: Path) -> None:
    with (tmp_path / "out").open("w+", encoding="utf-8") as stream:
        console = make_console(stream, width=100)
        console._force_terminal = True
        print_report(wrong, console, "en", Path("/home/ada"))
        stream.seek(0)
        text = stream.read()
    assert f"(work.ipynb[cell 3]:{LINE})" in text
    assert f"Next: change work.ipynb[cell 3]:{LINE}" in text


TAKES = f"def {ATTEND}(query, key, value, mask=None, dropout=None):\n"
NEAR = "scaled_dot_product_atention"
ROWS = [
    (f"x = 1\n\n{TAKES}    raise NotImplementedError", "incomplete", "not written yet: the TODO at work.ipynb[cell 2]:4", "尚未完成：work.ipynb[cell 2]:4 处的 TODO"),
    (f"\ndef {ATTEND}(:\n    return q", "error", "syntax error at work.ipynb[cell 2]:2: invalid syntax", "work.ipynb[cell 2]:2 处有语法错误：invalid syntax"),
    (f"def attend(q): return q\n{ATTEND} = 3", "incomplete", f"work.ipynb[cell 2]:2: {ATTEND} should be a function, and is an int", f"work.ipynb[cell 2]:2：{ATTEND} 应是函数，却是 int"),
    (f"def {NEAR}(q): return q", "incomplete", f"attention (work.ipynb) does not define {ATTEND} (there is {NEAR} at work.ipynb[cell 2]:1: rename it?)", f"attention（work.ipynb）没有定义 {ATTEND}（work.ipynb[cell 2]:1 处有 {NEAR}：是否应改名？）"),
    (f"TABLE = [1, 2][7]\n{TAKES}    return TABLE, 1", "error", "work.ipynb[cell 2]:1 fails when the file is imported: IndexError: list index out of range", "work.ipynb[cell 2]:1 在导入时出错：IndexError：list index out of range"),
]  # fmt: skip


@pytest.mark.parametrize(("cell", "status", "en", "zh"), ROWS)
def test_sentences_name_the_cell(
    cell: str, status: str, en: str, zh: str, session: Session, tmp_path: Path
) -> None:
    path = saved(tmp_path / "work.ipynb", "import torch", code(cell, "grade:attention"))
    result = graded(session, path).exercises[0]
    assert result.status == status
    assert result.note is not None
    assert [result.note.en, result.note.zh] == [en, zh]
    fault = result.diagnoses[0].faults[0]
    assert fault.file in ("work.ipynb[cell 2]", "work.ipynb")


def test_an_exception_names_the_cell(session: Session, tmp_path: Path) -> None:
    broken = f"def {ATTEND}(query, key, value, mask=None, dropout=None):\n    return query @ key, 1"
    path = saved(tmp_path / "work.ipynb", "import torch", broken)
    result = graded(session, path).exercises[0]
    raised = [c for c in result.checks if c.line is not None]
    assert {(c.file, c.line) for c in raised} == {("work.ipynb[cell 2]", 2)}
    assert all("work.ipynb[cell 2]:2" in c.message.en for c in raised if c.message is not None)


def test_a_name_that_is_not_there(session: Session, tmp_path: Path) -> None:
    uses = f"def {ATTEND}(query, key, value, mask=None, dropout=None):\n    return query * scale, 1"
    path = saved(tmp_path / "work.ipynb", "def train(): return 1", "scale = train()", uses)
    report = graded(session, path)
    assert "name 'scale' is not defined" in str(report.exercises[0].checks)
    assert report.notes[0].en.startswith("work.ipynb[cell 2]:1 works out scale by running other code")


def test_files_of_a_command_line(tmp_path: Path) -> None:
    saved(tmp_path / "a.ipynb", WRONG, SOLUTION["masks"])
    (tmp_path / "multi_head_attention.py").write_text(SOLUTION["multi_head_attention"], encoding="utf-8")
    words = [str(tmp_path / "a.ipynb"), str(tmp_path / "multi_head_attention.py")]
    found = find_targets(words, None, module_names())
    assert (found.path, found.only) == (tmp_path, ("attention", "masks", "multi_head_attention"))
    assert find_targets(["attention.ipynb"], tmp_path, module_names()).only == ("attention",)
