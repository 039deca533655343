"""The exact text of what is said, in both languages and widths; JSON and HTML; and the command."""

from __future__ import annotations

import json
import math
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len

from grader.cli import train as command
from grader.cli.main import cli
from grader.learning import said_of_learning, said_of_steps
from grader.learning import tasks as learning_tasks
from grader.learning.records import Answers, Curve, Exam, Finding, Learning, TaskResult
from grader.learning.tasks import TASKS
from grader.reports.html.train_page import render_training_page
from grader.reports.output import ASCII, UNICODE, Glyphs
from grader.reports.paper import Paper
from grader.reports.plotting import bins, curve
from grader.reports.train import render_learning
from grader.reports.train_json import learning_as_json
from grader.text import Text
from tests.learning.conftest import QUICK
from tests.learning.making import TINY, TRAINING, changed
from tests.learning.test_judging import solutions
from tests.support import ROOT

SNAPSHOTS = ROOT / "tests" / "snapshots" / "train"
FALLING = tuple(2.8 * math.exp(-step / 40) + 0.02 * math.sin(step) for step in range(200))
SAID = (Answers(tuple("abcabc|"), tuple("abcabc."), tuple("abcabc.")),)
WRONG = (Answers(tuple("hbhggb|"), tuple("hbhggb."), tuple("bbbbbbb")), *SAID)
NUMBERS = (Answers(("7", "1", "6", "|", "0", "3"), ("6", "9"), ("6", "10")),)
RIGHT = Exam(0.984375, 0.984375, 0.0, 0.998, 0.007, 0.0, 9.0, True, SAID)
COPIES = Exam(0.0390625, 0.0390625, 0.0, 1.0, 0.0011, 3.53, 9.91, True, WRONG)
LEARNT = TaskResult(TASKS["copy"], "learnt", Curve(FALLING, ((175, 1.0), (200, 1.0)), (), 1.8), RIGHT)
CHEATS = TaskResult(
    TASKS["copy"],
    "not learnt",
    Curve(FALLING, ((200, 0.03),), (), 2.0),
    COPIES,
    (
        said_of_learning.sees_ahead(COPIES, 0.0011),
        said_of_steps.returns_other(Text("a float32 tensor of shape ()", "形状 () 的 float32 张量")),
    ),
    "debug\n" * 9,
)
STUCK = TaskResult(
    TASKS["progressions"],
    "not learnt",
    Curve((2.9,) * 60, (), (), 1.0),
    replace(RIGHT, accuracy=0.0, ours=0.0, examples=NUMBERS),
    (said_of_steps.never_steps(), said_of_learning.no_order(2.4e-7, TASKS["progressions"])),
)
STOPPED = TaskResult(
    TASKS["reverse"],
    "stopped",
    Curve((2.9, math.nan), (), (), 0.3),
    None,
    (
        said_of_learning.stopped(
            Text("`train_step` was stopped after 10 s", "`train_step` 运行 10 秒后被终止"), 2
        ),
    ),
)
PAGES = {
    "learnt": Learning("work", 0, (LEARNT,)),
    "cheats": Learning("work", 0, (CHEATS,)),
    "all": Learning(
        "work",
        0,
        (LEARNT, STOPPED, STUCK),
        (Text("with the kit's own masks.py", "其中使用了本工具自带的 masks.py"),),
    ),
}


def printed(learning: Learning, language: str, width: int, glyphs: Glyphs = UNICODE) -> str:
    lines = render_learning(learning, Paper(language, width, glyphs))
    return "".join(f"{line.plain.rstrip()}\n" for line in lines)


def same_as_stored(name: str, text: str) -> None:
    """Compares with ``tests/snapshots/train``; ``GRADE_UPDATE_SNAPSHOTS=1`` rewrites it."""
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("GRADE_UPDATE_SNAPSHOTS"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", PAGES)
def test_pages(name: str, language: str, width: int) -> None:
    text = printed(PAGES[name], language, width)
    same_as_stored(f"{name}.{language}.{width}", text)
    assert max(cell_len(line) for line in text.splitlines()) <= width


def test_a_poor_terminal() -> None:
    text = printed(PAGES["all"], "en", 80, ASCII)
    assert text.isascii()
    assert "*" in text


def test_a_curve() -> None:
    paper = Paper("en", 80)
    drawn = [line.plain for line in curve([3.0, 2.0, 1.0, 0.0], paper, 2, 2)]
    assert drawn == ["⠳⡄", " ⠹"] or all(drawn)
    assert len(drawn) == 2
    assert bins([1.0, 3.0, math.nan, 5.0], 2) == [2.0, 5.0]
    assert bins(range(5), 10) == [0, 1, 2, 3, 4]
    assert all(not line.plain for line in curve([math.nan, math.inf], paper, 4, 2))


def evil() -> Learning:
    words = "\x1b[2J\x1b]0;title\x07\u202e<script>alert(1)</script>"
    text = Text.same(words)
    answers = (Answers((words,), (words,), ("a",)),)
    result = replace(
        CHEATS,
        exam=replace(COPIES, examples=answers),
        findings=(Finding("stopped", text, text),),
        printed=words,
    )
    return Learning(words, 0, (result,), (text,))


def test_what_a_learner_wrote_cannot_harm_the_terminal() -> None:
    for text in (printed(evil(), "en", 80), learning_as_json(evil(), "en").replace("\\u001b", "\x1b")):
        assert not {"\x07", "\u202e"} & set(text)
    assert "\x1b" not in printed(evil(), "en", 80)


def test_json() -> None:
    found = json.loads(learning_as_json(PAGES["all"], "zh"))
    assert found["schema"] == 1
    assert found["learnt"] is False
    assert [t["status"] for t in found["tasks"]] == ["learnt", "stopped", "not learnt"]
    assert found["tasks"][1]["losses"] == [2.9, "nan"]
    assert found["tasks"][2]["findings"][0]["faults"] == ["step-missing"]
    assert found["notes"] == ["其中使用了本工具自带的 masks.py"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page(language: str) -> None:
    page = render_training_page(PAGES["all"], language)
    assert page.count("<svg") == 3
    assert page.count('class="loss"') == 3
    assert "grade explain step-missing" in page
    assert ("没有学会" in page) == (language == "zh")
    assert "<script>alert" not in render_training_page(evil(), language)


# -- the command ------------------------------------------------------------------------------------


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Runs `grade train` in a fresh folder with the solutions; training is short."""
    folder = tmp_path / "my work"
    shutil.copytree(ROOT / "solutions", folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("COLUMNS", "80")
    short = {name: task.but(**QUICK) for name, task in TASKS.items()}
    monkeypatch.setattr(learning_tasks, "TASKS", short)
    return lambda *words: CliRunner().invoke(cli, ["train", *words], prog_name="grade")


def test_the_command(call: Callable[..., Result]) -> None:
    result = call("copy", "--html", "page.html", "--json", "found.json")
    assert result.exit_code == 1
    assert "0 of 8 held-out sequences right" in result.output
    assert json.loads(Path("found.json").read_text(encoding="utf-8"))["tasks"][0]["steps"] == 3
    assert "<svg" in Path("page.html").read_text(encoding="utf-8")


def test_all_tasks_and_only_json(call: Callable[..., Result]) -> None:
    result = call("--json", "-", "--lang", "zh")
    assert [t["id"] for t in json.loads(result.stdout)["tasks"]] == list(TASKS) == list(command.NAMES)


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        (TRAINING, None, "there is no training.py"),
        (TINY, None, "there is no tiny_transformer.py"),
        ("masks.py", None, "there is no masks.py"),
        (TRAINING, "def f(:\n", "training.py cannot be used"),
        (TRAINING, "import nothing_like_it\n", "nothing_like_it"),
        (TRAINING, "def train_step(): return 0.0\n", "does not define"),
        (TINY, "class TinyTransformer:\n    def __init__(self, **k): self.n = 1\n", "makes no `nn.Module`"),
    ],
)
def test_what_cannot_be_trained(call: Callable[..., Result], file: str, text: str | None, said: str) -> None:
    if text is None:
        Path(file).unlink()
    else:
        Path(file).write_text(text, encoding="utf-8")
    result = call("copy")
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.output


def test_a_skeleton_is_not_written_yet(call: Callable[..., Result]) -> None:
    Path(TRAINING).write_text((ROOT / "skeletons" / TRAINING).read_text(encoding="utf-8"), encoding="utf-8")
    result = call("copy")
    assert result.exit_code == 2
    assert "not written yet: the TODO at training.py:" in result.stderr


@pytest.mark.parametrize("text", [None, "def f(:\n"])
def test_the_kits_own_files_stand_in(call: Callable[..., Result], text: str | None) -> None:
    for name in ("masks.py", TRAINING):
        if text is None:
            Path(name).unlink()
        else:
            Path(name).write_text(text, encoding="utf-8")
    result = call("copy", "--with-reference")
    assert result.exit_code == 1
    assert "with the kit's own masks.py, training.py" in result.output


@pytest.mark.slow
def test_the_command_in_full(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, text in solutions().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(cli, ["train"], prog_name="grade").exit_code == 0
    for name, text in changed("no causal mask").items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert CliRunner().invoke(cli, ["train", "reverse"], prog_name="grade").exit_code == 1
