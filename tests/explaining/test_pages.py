"""The exact text of some explanations, in both languages and widths, and the command."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len

from grader.cli.main import cli
from grader.explaining.run import explain
from grader.reports.explain import listed, overview, render_explanation
from grader.reports.output import ASCII, UNICODE, Glyphs
from grader.reports.paper import Paper
from grader.text import Text
from tests.support import ROOT

SNAPSHOTS = ROOT / "tests" / "snapshots" / "explain"
# those whose numbers are the same on every machine, to the last digit
SHOWN = (
    "mask-filled-with-zero",
    "view-not-contiguous",
    "causal-mask-peeks-ahead",
    "attention-memory",
    "timeout",
)


def printed(name: str, language: str, width: int, glyphs: Glyphs = UNICODE) -> str:
    lines = render_explanation(explain(name), Paper(language, width, glyphs))
    return "".join(f"{line.plain.rstrip()}\n" for line in lines)


def same_as_stored(name: str, text: str) -> None:
    """Compares with ``tests/snapshots/explain``; ``GRADE_UPDATE_SNAPSHOTS=1`` rewrites it."""
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("GRADE_UPDATE_SNAPSHOTS"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", SHOWN)
def test_pages(name: str, language: str, width: int) -> None:
    text = printed(name, language, width)
    same_as_stored(f"{name}.{language}.{width}", text)
    assert max(cell_len(line) for line in text.splitlines()) <= width


def test_a_poor_terminal() -> None:
    text = printed("causal-mask-peeks-ahead", "en", 80, ASCII)
    assert "####" in text
    assert not set("█░▒▓✓✗") & set(text)


@pytest.mark.parametrize("width", [40, 80, 160])
def test_the_lists_fit(width: int) -> None:
    paper = Paper("zh", width)
    page = overview({"attention": ("missing-scale", "mask-inverted")}, ["attention-memory"], paper)
    page += listed("attention", {"missing-scale": Text("Not scaled " * 9, "没有缩放" * 20)}, paper)
    assert max(line.cell_len for line in page) <= width


# -- the command ------------------------------------------------------------------------------------


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("COLUMNS", "80")
    return lambda *words: CliRunner().invoke(cli, list(words), prog_name="grade")


def test_one_mistake(call: Callable[..., Result]) -> None:
    result = call("explain", "missing-scale")
    assert result.exit_code == 0
    assert "d_k = 1024" in result.output
    assert "attention, multi_head_attention" in result.output


def test_in_chinese(call: Callable[..., Result]) -> None:
    assert "可能出现在" in call("explain", "missing-scale", "--lang", "zh").output


def test_an_exercise(call: Callable[..., Result]) -> None:
    result = call("explain", "layer_norm")
    assert result.exit_code == 0
    assert "eps-outside-sqrt" in result.output
    assert "missing-scale" not in result.output


def test_nothing_named(call: Callable[..., Result]) -> None:
    result = call("explain")
    assert result.exit_code == 0
    for word in ("missing-scale", "layers-shared", "syntax-error", "attention-memory"):
        assert word in result.output


def test_a_word_that_is_none(call: Callable[..., Result]) -> None:
    result = call("explain", "mising-scale")
    assert result.exit_code == 2
    assert "missing-scale" in result.stderr
    assert not result.stdout


def test_a_list_needs_no_torch(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from grader.cli.main import cli\n"
        "assert CliRunner().invoke(cli, ['explain', 'masks']).exit_code == 0\n"
        "assert CliRunner().invoke(cli, ['explain']).exit_code == 0\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path, timeout=60)


def test_no_solution_is_given_away() -> None:
    """What stands in an explanation is never a line of the solutions."""
    solutions = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "solutions").glob("*.py"))
    lines = {line.split("#")[0].strip() for line in solutions.splitlines()}
    long = {line for line in lines if len(line) > 30 and "(" in line and not line.startswith(("def", "from"))}
    text = io.StringIO()
    for name in ("missing-scale", "mask-filled-with-zero", "view-not-contiguous", "eps-outside-sqrt"):
        text.write(printed(name, "en", 200))
    assert long
    assert not [line for line in long if line in text.getvalue()]
